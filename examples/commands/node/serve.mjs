// Speaks for the tokenizer of tokenizer.mjs. Plug in: --impl="cmd:node serve.mjs"
import { createInterface } from "node:readline";
import { Tokenizer } from "./tokenizer.mjs";

let tokenizer;
const answers = {
  info: () => ({ name: "bpe.mjs", version: "1" }),
  load: ({ merges, special_tokens, pattern }) => {
    if (pattern !== null || Object.keys(special_tokens).length) return { unsupported: "has no pattern and no special tokens" };
    tokenizer = new Tokenizer(merges);
    return { ok: true };
  },
  encode: ({ text }) => ({ ids: tokenizer.encode(Buffer.from(text, "hex")) }),
  decode: ({ ids }) => ({ bytes: tokenizer.decode(ids) }),
  train: () => ({ unsupported: "does not train" }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  try {
    console.log(JSON.stringify(answers[question.op](question)));
  } catch (error) {
    console.log(JSON.stringify({ error: error.name, message: error.message }));
  }
}
