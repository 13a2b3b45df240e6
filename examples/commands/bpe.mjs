// A tokenizer of the contract in JavaScript: no pattern, no special tokens, no training. Plug in: --impl="cmd:node bpe.mjs"
import { createInterface } from "node:readline";

let ids = new Map(), tokens = [], merges = []; // hex to id, id to hex, [left, right, made]
const unsupported = (why) => ({ unsupported: why });

function load({ merges: given, special_tokens, pattern }) {
  if (pattern !== null || Object.keys(special_tokens).length) return unsupported("has no pattern and no special tokens");
  tokens = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  ids = new Map(tokens.map((hex, id) => [hex, id]));
  merges = given.map(([left, right], rank) => {
    if (!ids.has(left + right)) { // made before: it has its id, and this one is nobody's
      ids.set(left + right, 256 + rank);
      tokens[256 + rank] = left + right;
    }
    return [ids.get(left), ids.get(right), ids.get(left + right)];
  });
  return { ok: true };
}

function encode({ text }) {
  let word = [...Buffer.from(text, "hex")];
  if (word.some((byte, i) => byte === 0xed && word[i + 1] >= 0xa0)) return { error: "UnicodeError", message: "a lone surrogate" };
  for (const [left, right, made] of merges) { // every merge in order, each from left to right
    const next = [];
    for (let i = 0; i < word.length; i++) {
      if (word[i] === left && word[i + 1] === right) { next.push(made); i++; } else next.push(word[i]);
    }
    word = next;
  }
  return { ids: word };
}

function decode({ ids: given }) {
  const unknown = given.find((id) => tokens[id] === undefined);
  return unknown === undefined ? { bytes: given.map((id) => tokens[id]).join("") } : { error: "UnknownToken", message: `no id ${unknown}` };
}

const answers = { load, encode, decode, info: () => ({ name: "bpe.mjs", version: "1" }), train: () => unsupported("does not train") };
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  console.log(JSON.stringify(answers[question.op](question)));
}
