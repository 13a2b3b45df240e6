// Prints a line for people when asked to encode, before the answer.

import { misbehaveOn } from "./answers.mjs";

await misbehaveOn("encode", () => process.stdout.write('encoding now\n{"ids": [1]}\n'));
