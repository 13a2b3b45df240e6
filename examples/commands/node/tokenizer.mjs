// A tokenizer as you may have one: byte-level BPE, no pattern, no special tokens, no training. Byte strings are hex.
export class Tokenizer {
  constructor(merges) {
    this.tokens = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0")); // id to hex
    const ids = new Map(this.tokens.map((hex, id) => [hex, id]));
    this.merges = merges.map(([left, right], rank) => {
      if (!ids.has(left + right)) { // made before: it has its id, and this one is nobody's
        ids.set(left + right, 256 + rank);
        this.tokens[256 + rank] = left + right;
      }
      return [ids.get(left), ids.get(right), ids.get(left + right)];
    });
  }

  encode(bytes) {
    let word = [...bytes];
    if (word.some((byte, i) => byte === 0xed && word[i + 1] >= 0xa0)) throw new Error("a lone surrogate");
    for (const [left, right, made] of this.merges) { // every merge in order, each from left to right
      const next = [];
      for (let i = 0; i < word.length; i++) {
        if (word[i] === left && word[i + 1] === right) { next.push(made); i++; } else next.push(word[i]);
      }
      word = next;
    }
    return word;
  }

  decode(ids) {
    const unknown = ids.find((id) => this.tokens[id] === undefined);
    if (unknown !== undefined) throw new Error(`no id ${unknown}`);
    return ids.map((id) => this.tokens[id]).join("");
  }
}
