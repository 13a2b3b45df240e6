// What the programs that misbehave have in common: they answer `load` and `info`, and then do their worst.

import { createInterface } from "node:readline";

export async function misbehaveOn(operation, misbehave) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { op } = JSON.parse(line);
    if (op === operation) misbehave();
    else process.stdout.write(JSON.stringify({ ok: true, name: "bad", ids: [1], bytes: "61" }) + "\n");
  }
}
