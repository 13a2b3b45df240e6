// Exits when asked to encode, with a complaint.

import { misbehaveOn } from "./answers.mjs";

await misbehaveOn("encode", () => {
  process.stderr.write("out of\nmemory\n");
  process.exit(3);
});
