// Tokenizers of the npm world behind the cmd: protocol: one JSON object a line in, one a line out.
//     node driver.mjs PACKAGE FOLDER-OF-NODE_MODULES
// What a package does with unknown ids, lone surrogates or invalid UTF-8 comes through as it is.
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const [, , name, folder] = process.argv;
const require = createRequire(path.join(path.resolve(folder), 'driver.js'));
const { version } = JSON.parse(require('node:fs').readFileSync(path.join(folder, name, 'package.json'), 'utf8'));

class Unsupported extends Error {}

// --- texts, bytes, patterns

function textOf(hex) { // UTF-8 that may hold lone surrogates, which Buffer would replace
  const bytes = Buffer.from(hex, 'hex');
  let text = '', start = 0;
  for (let i = 0; i + 2 < bytes.length; i++) {
    if (bytes[i] === 0xed && bytes[i + 1] >= 0xa0) {
      text += bytes.toString('utf8', start, i) + String.fromCharCode(0xd000 | (bytes[i + 1] & 63) << 6 | (bytes[i + 2] & 63));
      start = i + 3;
      i += 2;
    }
  }
  return text + bytes.toString('utf8', start);
}

const isUtf8 = (bytes) => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);

const CONTRACTIONS = "(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
// The same as below, whose possessive quantifiers change nothing: what follows them can never match what they took.
const CL100K = String.raw`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`;
const CL100K_AS_TIKTOKEN = String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`;

function patternOf(pattern) { // JavaScript has neither (?i:...) nor possessive quantifiers, so published patterns are respelled
  if (pattern === null) return '[\\s\\S]+';
  if (pattern === CL100K_AS_TIKTOKEN) return `${CONTRACTIONS}|${CL100K}`;
  const spelled = pattern.replaceAll("(?i:'s|'t|'re|'ve|'m|'ll|'d)", CONTRACTIONS);
  try {
    new RegExp(spelled, 'gu');
  } catch (error) {
    throw new Unsupported(`its regular expressions do not take this pattern: ${error.message}`);
  }
  return spelled;
}

function unsigned(ids) { // a typed array would make another id of one that does not fit
  if (!ids.every((id) => id >= 0 && id < 2 ** 32)) throw new Unsupported('it takes unsigned ids of 32 bits');
  return new Uint32Array(ids);
}

// --- vocabularies: bytes by value, then a token for each merge that is the first to make it

function ranksOf(merges) { // Map from the hex of a token to its id
  const ids = new Map();
  for (let value = 0; value < 256; value++) ids.set(value.toString(16).padStart(2, '0'), value);
  merges.forEach(([left, right], rank) => ids.has(left + right) || ids.set(left + right, 256 + rank));
  return ids;
}

const PRINTABLE = (() => { // GPT-2's spelling of bytes
  const spelled = [];
  let others = 0;
  for (let value = 0; value < 256; value++) {
    const kept = (value >= 33 && value <= 126) || (value >= 161 && value <= 172) || value >= 174;
    spelled.push(String.fromCodePoint(kept ? value : 256 + others++));
  }
  return spelled;
})();
const spelled = (hex) => [...Buffer.from(hex, 'hex')].map((value) => PRINTABLE[value]).join('');

function tokenizerJson({ merges, special, pattern }) {
  const vocab = {};
  for (const [hex, id] of ranksOf(merges)) vocab[spelled(hex)] = id;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  for (const [text, id] of special) {
    if (Object.hasOwn(vocab, text)) throw new Unsupported('a special token is spelled as a token is in this format');
    vocab[text] = id;
  }
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  return {
    version: '1.0', truncation: null, padding: null, normalizer: null, post_processor: null, decoder: byteLevel,
    added_tokens: [...special].map(([content, id]) => ({ id, content, ...flags })),
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split, byteLevel] },
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
      fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab,
      merges: merges.map(([left, right]) => [spelled(left), spelled(right)]) },
  };
}

const rankFile = (merges) =>
  [...ranksOf(merges)].map(([hex, id]) => `${Buffer.from(hex, 'hex').toString('base64')} ${id}`).join('\n');

// --- the packages: each gives info and, from a vocabulary, encode: text -> ids and decode: ids -> text or bytes

const BYTES_FIRST = { rank_by: 'bytes', whole_piece_first: true };
const PACKAGES = {
  'js-tiktoken': {
    info: BYTES_FIRST,
    make({ merges, special, pattern }) {
      const { Tiktoken } = require('js-tiktoken/lite');
      const bpe_ranks = rankFile(merges).replaceAll(/^(\S+) (\d+)$/gm, '! $2 $1');
      const made = new Tiktoken({ pat_str: pattern, special_tokens: Object.fromEntries(special), bpe_ranks });
      return { encode: (text) => made.encode(text, 'all'), decode: (ids) => made.decode(ids) };
    },
  },
  tiktoken: {
    info: BYTES_FIRST,
    anyPattern: true, // Rust, compiled to WebAssembly
    make({ merges, special, pattern }) {
      const { Tiktoken } = require('tiktoken');
      const made = new Tiktoken(rankFile(merges), Object.fromEntries(special), pattern);
      return { encode: (text) => [...made.encode(text, 'all')], decode: (ids) => Buffer.from(made.decode(unsigned(ids))) };
    },
  },
  'gpt-tokenizer': {
    info: BYTES_FIRST,
    make({ merges, special, pattern }) {
      const { GptEncoding } = require('gpt-tokenizer/cjs/GptEncoding');
      const bytePairRankDecoder = [];
      for (const [hex, id] of ranksOf(merges)) {
        const bytes = Buffer.from(hex, 'hex');
        bytePairRankDecoder[id] = isUtf8(bytes) ? bytes.toString('utf8') : [...bytes];
      }
      const made = new GptEncoding({ bytePairRankDecoder, specialTokensEncoder: special, tokenSplitRegex: new RegExp(pattern, 'gu') });
      return { encode: (text) => made.encode(text, { allowedSpecial: 'all' }), decode: (ids) => made.decode(ids) };
    },
  },
  'ai-tokenizer': {
    info: BYTES_FIRST,
    make({ merges, special, pattern }) {
      const { Tokenizer } = require('ai-tokenizer');
      const stringEncoder = {}, binaryEncoder = [], decoder = {};
      for (const [hex, id] of ranksOf(merges)) {
        const bytes = Buffer.from(hex, 'hex');
        if (isUtf8(bytes)) {
          stringEncoder[bytes.toString('utf8')] = id;
          decoder[id] = bytes.toString('utf8');
        } else {
          binaryEncoder.push([new Uint8Array(bytes), id]);
          decoder[id] = new Uint8Array(bytes);
        }
      }
      const made = new Tokenizer({ name: 'conformance', pat_str: pattern, special_tokens: Object.fromEntries(special), stringEncoder, binaryEncoder, decoder });
      return { encode: (text) => made.encode(text, [...special.keys()]), decode: (ids) => made.decode(ids) };
    },
  },
  '@microsoft/tiktokenizer': {
    info: BYTES_FIRST,
    make({ merges, special, pattern }) {
      const { TikTokenizer } = require('@microsoft/tiktokenizer');
      const ranks = new Map([...ranksOf(merges)].map(([hex, id]) => [new Uint8Array(Buffer.from(hex, 'hex')), id]));
      const made = new TikTokenizer(ranks, special, pattern);
      return { encode: (text) => made.encode(text, special.size ? [...special.keys()] : undefined), decode: (ids) => made.decode(ids) };
    },
  },
  '@huggingface/tokenizers': {
    info: { rank_by: 'pair' },
    make(vocabulary) {
      const { Tokenizer } = require('@huggingface/tokenizers');
      const made = new Tokenizer(tokenizerJson(vocabulary), {});
      return {
        encode: (text) => made.encode(text, { add_special_tokens: false }).ids,
        decode: (ids) => made.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
      };
    },
  },
  '@lenml/tokenizers': {
    info: { rank_by: 'pair' },
    make(vocabulary) {
      const { TokenizerLoader } = require('@lenml/tokenizers');
      const made = TokenizerLoader.fromPreTrained({
        tokenizerJSON: tokenizerJson(vocabulary),
        tokenizerConfig: { tokenizer_class: 'GPT2Tokenizer', clean_up_tokenization_spaces: false },
      });
      return {
        encode: (text) => made.encode(text, { add_special_tokens: false }),
        decode: (ids) => made.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
      };
    },
  },
  'gpt-3-encoder': {
    info: { rank_by: 'pair' },
    own: true,
    make: () => require('gpt-3-encoder'),
  },
};

// --- the protocol

const chosen = PACKAGES[name];
let tokenizer = null;

function answer(question) {
  switch (question.op) {
    case 'info':
      return { name: `${name} (npm)`, version, ...chosen.info };
    case 'load': {
      const special = new Map(Object.entries(question.special_tokens).map(([hex, id]) => [textOf(hex), id]));
      const pattern = chosen.own ? null
        : chosen.anyPattern ? question.pattern ?? '(?s:.+)' : patternOf(question.pattern);
      tokenizer = chosen.make({ merges: question.merges, special, pattern });
      return { ok: true };
    }
    case 'encode':
      return { ids: tokenizer.encode(textOf(question.text)) };
    case 'decode':
      return { bytes: Buffer.from(tokenizer.decode(question.ids)).toString('hex') };
    default:
      throw new Unsupported(`it has no ${question.op}`);
  }
}

console.log = console.error; // standard output is for answers
for await (const line of readline.createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = answer(JSON.parse(line));
  } catch (error) {
    reply = error instanceof Unsupported ? { unsupported: error.message }
      : { error: error?.name ?? 'Error', message: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
