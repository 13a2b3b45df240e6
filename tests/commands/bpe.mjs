// A small, complete cmd: tokenizer, in a language other than the suite's: docs/implementations.md, "cmd:".
// A token is the hex of its bytes throughout. Slow: every merge looks at the whole piece, training counts anew each time.

import { createInterface } from "node:readline";

class Refusal extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}
class Unsupported extends Error {}

const bytesOfHex = (hex) => hex.match(/../g) ?? [];
const hexOf = (text) => Buffer.from(text, "utf8").toString("hex");
// ignoreBOM means: keep it. fatal refuses lone surrogates, which travel as three bytes that are no UTF-8.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(hex) {
  try {
    return utf8.decode(Buffer.from(hex, "hex"));
  } catch {
    throw new Refusal("UnicodeError", "the text holds a lone surrogate");
  }
}

// Patterns are in the syntax of Python's regex package. What means the same is kept, what can be said is said, and all
// else is refused: a pattern that almost works would be worse than none.
function translated(pattern) {
  const escapes = { s: "\\p{White_Space}", S: "\\P{White_Space}", d: "\\p{Nd}", D: "\\P{Nd}", Z: "$" };
  const kept = /^(?:\\[nrtfv0]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[pP]\{\^?\w+\})/;
  let result = "";
  let inClass = false;
  for (let i = 0; i < pattern.length; ) {
    const rest = pattern.slice(i);
    const known = rest.match(kept);
    const character = String.fromCodePoint(pattern.codePointAt(i));
    let taken = character.length;
    if (known) {
      if (known[0].includes("^")) throw new Unsupported(`no translation for ${known[0]}`);
      [result, taken] = [result + known[0], known[0].length];
    } else if (character === "\\") {
      const next = rest.length > 1 ? String.fromCodePoint(pattern.codePointAt(i + 1)) : "";
      if (!(next in escapes) && /[\p{L}\p{N}]|^$/u.test(next)) throw new Unsupported(`no translation for \\${next}`);
      result += escapes[next] ?? `\\u{${next.codePointAt(0).toString(16)}}`;
      taken += next.length;
    } else if (inClass) {
      if (/^(?:\[:|&&|--|\|\||~~)/.test(rest)) throw new Unsupported("no translation for set operations");
      result += character === "[" ? "\\[" : character;
      inClass = character !== "]";
    } else if (/^\(\?(?![:=!]|<[=!])/.test(rest)) {
      throw new Unsupported(`no translation for ${rest.slice(0, 4)}`);
    } else if (/^[*+?}]\+/.test(rest)) {
      throw new Unsupported("no translation for possessive quantifiers");
    } else if (character === "[") {
      const start = rest.match(/^\[\^?\]?/)[0]; // a bracket that comes first is itself
      [result, taken, inClass] = [result + start.replace("]", "\\]"), start.length, true];
    } else {
      result += { ".": "[^\\n]", $: "(?=\\n?$)" }[character] ?? character;
    }
    i += taken;
  }
  try {
    return new RegExp(result, "gu");
  } catch (error) {
    throw new Unsupported(`no translation: ${error.message}`);
  }
}

function pieces(pattern, text) {
  if (pattern === null) return text === "" ? [] : [text];
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === "") throw new Unsupported("a pattern that matches nothing goes on elsewhere than here");
    if (match.index !== end) break;
    end += match[0].length;
    found.push(match[0]);
  }
  if (end !== text.length) throw new Refusal("UncoveredText", `the pattern leaves text uncovered at UTF-16 unit ${end}`);
  return found;
}

function cut(specials, text) {
  if (specials.length === 0) return [text];
  const longestFirst = [...specials].sort((one, other) => other.length - one.length);
  const escaped = longestFirst.map((special) => special.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`, "u")).filter((part) => part !== "");
}

function joined(tokens, left, right) {
  const result = [];
  for (let i = 0; i < tokens.length; i++) {
    const found = tokens[i] === left && tokens[i + 1] === right;
    result.push(found ? left + right : tokens[i]);
    if (found) i++;
  }
  return result;
}

let vocabulary;

function load({ merges, special_tokens, pattern }) {
  const idOf = new Map(Array.from({ length: 256 }, (_, byte) => [byte.toString(16).padStart(2, "0"), byte]));
  const rankOf = new Map();
  merges.forEach(([left, right], rank) => {
    rankOf.set(`${left} ${right}`, rank);
    if (!idOf.has(left + right)) idOf.set(left + right, 256 + rank); // the first merge to make a token numbers it
  });
  const specials = new Map(Object.entries(special_tokens).map(([hex, id]) => [textOf(hex), id]));
  const bytesOf = new Map([...idOf].map(([token, id]) => [id, token]));
  for (const [text, id] of specials) bytesOf.set(id, hexOf(text));
  vocabulary = { merges, rankOf, idOf, specials, bytesOf, pattern: pattern === null ? null : translated(pattern) };
  return { ok: true };
}

function encodePiece(piece) {
  let tokens = bytesOfHex(hexOf(piece));
  for (let last = -1; ; ) {
    let rank = Infinity;
    for (let i = 0; i + 1 < tokens.length; i++) {
      const here = vocabulary.rankOf.get(`${tokens[i]} ${tokens[i + 1]}`);
      if (here > last && here < rank) rank = here;
    }
    if (rank === Infinity) return tokens.map((token) => vocabulary.idOf.get(token));
    tokens = joined(tokens, ...vocabulary.merges[rank]);
    last = rank;
  }
}

function encode({ text }) {
  const parts = cut([...vocabulary.specials.keys()], textOf(text));
  return {
    ids: parts.flatMap((part) =>
      vocabulary.specials.has(part) ? [vocabulary.specials.get(part)] : pieces(vocabulary.pattern, part).flatMap(encodePiece),
    ),
  };
}

function decode({ ids }) {
  const bytes = ids.map((id) => {
    if (!vocabulary.bytesOf.has(id)) throw new Refusal("UnknownToken", `there is no token with the id ${id}`);
    return vocabulary.bytesOf.get(id);
  });
  return { bytes: bytes.join("") };
}

function mostFrequent(words) {
  const counts = new Map(); // in the order of insertion, so the first of several is the first seen
  for (const word of words)
    for (let i = 0; i + 1 < word.length; i++) {
      const pair = `${word[i]} ${word[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  let best = null;
  for (const [pair, count] of counts) if (best === null || count > counts.get(best)) best = pair;
  return best?.split(" ") ?? null;
}

function train({ corpus, num_merges, pattern, tie_rule, special_tokens }) {
  if (tie_rule !== "first-seen") throw new Unsupported(`no tie rule ${tie_rule}`);
  const [specials, compiled] = [special_tokens.map(textOf), pattern === null ? null : translated(pattern)];
  const parts = corpus.map(textOf).flatMap((text) => cut(specials, text)).filter((part) => !specials.includes(part));
  let words = parts.flatMap((part) => pieces(compiled, part)).map((piece) => bytesOfHex(hexOf(piece)));
  const merges = [];
  while (merges.length < num_merges) {
    const pair = mostFrequent(words);
    if (pair === null) break;
    merges.push(pair);
    words = words.map((word) => joined(word, ...pair));
  }
  return { merges };
}

const info = () => ({ name: "bpe.mjs", version: "1", tie_rules: ["first-seen"], rank_by: "pair" });
const operations = { load, encode, decode, train, info };

function answer(line) {
  const question = JSON.parse(line);
  try {
    if (!(question.op in operations)) throw new Unsupported(`no operation ${question.op}`);
    return operations[question.op](question);
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: error.message };
    return { error: error.kind ?? error.name, message: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) process.stdout.write(JSON.stringify(answer(line)) + "\n");
