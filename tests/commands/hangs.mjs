// Answers nothing when asked to encode.

import { misbehaveOn } from "./answers.mjs";

await misbehaveOn("encode", () => {});
