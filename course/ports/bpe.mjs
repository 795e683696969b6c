// Byte-level BPE as GPT-2 and SmolLM2 need it, from a tokenizer.json to ids and back: the porter's example.
//
// One file, no dependencies, nothing of Node or of browsers. It is written to be read beside the Python original (bpe.py and
// pretok.py) and takes the plain way everywhere; a port for real work would cache pre-tokens and merge with a heap.
// Character classes come from the frozen table unicode16/classes.json: the \p{L} of a JavaScript engine follows the engine's
// Unicode version, and one more letter means other ids.
//
//     const tokenizer = new BPETokenizer(JSON.parse(tokenizerJson), JSON.parse(classesJson));
//     tokenizer.encode("Hi 你!")                       // [17250, 220, 19526, 254, 0]
//     tokenizer.encode(typed, { special: "none" })     // what a user typed: no control tokens in it
//     tokenizer.decode([17250, 220, 19526, 254, 0])    // "Hi 你!"

const OTHER = 0,
  SPACE = 1,
  LETTER = 2,
  NUMBER = 3;
const CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

export class BPETokenizer {
  // tokenizer, classes: the two files, parsed. Throws an Error that names the field for what this port does not do: to ignore
  // a field would give other ids than the model's, without an error.
  constructor(tokenizer, classes) {
    checkFields(tokenizer);
    this.vocab = checkedVocab(tokenizer.model.vocab);
    this.merges = tokenizer.model.merges.map((merge, rank) => checkedMerge(merge, rank, this.vocab));
    this.ranks = ranksOf(this.merges);
    this.added = addedTokens(tokenizer.added_tokens ?? [], this.vocab);
    this.byteOf = new Map([...byteAlphabet()].map(([byte, symbol]) => [symbol, byte]));
    this.symbolOf = byteAlphabet();
    this.digits = digitsOf(tokenizer.pre_tokenizer);
    this.classes = new CharacterClasses(classes);
    this.tokens = []; // id -> token
    for (const [token, id] of [...this.vocab, ...[...this.added].map(([content, { id }]) => [content, id])]) this.tokens[id] = token;
  }

  // The ids of text, a string. special: "all", "none", or an array of contents: the special tokens that may be matched.
  encode(text, { special = "all" } = {}) {
    return this.parts(text, special).flatMap((part) =>
      part.added ? [this.added.get(part.text).id] : this.merge(this.symbols(part.text)).map((symbol) => this.vocab.get(symbol)),
    );
  }

  // The text cut into added tokens (leftmost, then longest) and, between them, pre-tokens: [{ text, added }]
  parts(text, special = "all") {
    if (typeof text !== "string") throw new TypeError(`text is ${shown(text)}; it must be a string`);
    const surrogate = text.search(/[\ud800-\udfff]/u); // with the u flag, halves of a pair do not count
    if (surrogate >= 0) throw new Error(`text is not valid Unicode: a lone surrogate at position ${[...text.slice(0, surrogate)].length}`);
    if (special !== "all" && special !== "none" && !Array.isArray(special))
      throw new Error(`special is ${special}; it must be "all", "none", or an array of contents`);
    if (Array.isArray(special))
      for (const content of special)
        if (!this.added.has(content)) throw new Error(`special has ${JSON.stringify(content)}, which is no added token here`);
    const allowed = [...this.added.keys()]
      .filter((content) => !this.added.get(content).special || special === "all" || (special !== "none" && special.includes(content)))
      .sort((a, b) => b.length - a.length);
    const parts = [];
    const pretokens = (segment) => this.pretokenize(segment).map((pretoken) => ({ text: pretoken, added: false }));
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const content = allowed.find((content) => text.startsWith(content, at));
      if (content === undefined) continue;
      parts.push(...pretokens(text.slice(start, at)), { text: content, added: true });
      start = at + content.length;
      at = start - 1;
    }
    return [...parts, ...pretokens(text.slice(start))];
  }

  // The pre-tokens of a stretch of text without added tokens.
  pretokenize(text) {
    const stretches = this.digits === null ? [text] : splitDigits(text, this.digits, this.classes);
    return stretches.flatMap((stretch) => pretokenizeGpt2(stretch, this.classes));
  }

  // A pre-token's bytes as symbols of the byte alphabet. A byte without a symbol in the vocabulary is dropped, as Hugging Face does.
  symbols(pretoken) {
    return [...new TextEncoder().encode(pretoken)].map((byte) => this.symbolOf.get(byte)).filter((symbol) => this.vocab.has(symbol));
  }

  // Merge the adjacent pair with the lowest rank, the leftmost if it occurs twice, until no adjacent pair has a rank.
  merge(symbols) {
    symbols = [...symbols];
    for (;;) {
      let lowest = Infinity,
        at = -1;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const rank = this.rank(symbols[i], symbols[i + 1]);
        if (rank < lowest) [lowest, at] = [rank, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
    }
  }

  // The rank of a pair, Infinity if it is no merge.
  rank(left, right) {
    return this.ranks.get(left)?.get(right) ?? Infinity;
  }

  // The bytes of one token. An added token, and a token with a character outside the byte alphabet, stands for itself.
  tokenBytes(id) {
    const token = this.tokens[id];
    if (!Number.isInteger(id) || token === undefined) throw new Error(`${shown(id)} is no id; there are 0 to ${this.tokens.length - 1}`);
    const bytes = [...token].map((symbol) => this.byteOf.get(symbol));
    return this.added.has(token) || bytes.includes(undefined) ? new TextEncoder().encode(token) : Uint8Array.from(bytes);
  }

  // The text of ids, an array: all bytes joined first, then decoded once. A character's bytes may lie in two tokens.
  decode(ids) {
    if (typeof ids === "string" || typeof ids?.[Symbol.iterator] !== "function")
      throw new TypeError(`ids is ${shown(ids)}; it must be an array of integers`);
    const bytes = [...ids].flatMap((id) => [...this.tokenBytes(id)]);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes)); // without it, a leading U+FEFF would vanish
  }
}

// The byte alphabet: 188 bytes stand for themselves, the other 68 take the code points from 256 on.
export function byteAlphabet() {
  const symbolOf = new Map();
  let nextFree = 256;
  for (let byte = 0; byte < 256; byte++) {
    const visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    symbolOf.set(byte, String.fromCodePoint(visible ? byte : nextFree++));
  }
  return symbolOf;
}

// What each code point is, in Unicode 16.0.
export class CharacterClasses {
  constructor(classes) {
    this.kinds = new Uint8Array(0x110000); // OTHER where nothing else is said
    for (const [name, kind] of [
      ["space", SPACE],
      ["L", LETTER],
      ["N", NUMBER],
    ]) {
      for (const [first, last] of classes[name]) this.kinds.fill(kind, first, last + 1);
    }
    // Hugging Face's Digits step knows a few numbers more than the GPT-2 split.
    this.digits = this.kinds.map((kind) => (kind === NUMBER ? 1 : 0));
    for (const [first, last] of classes.digits_extra) this.digits.fill(1, first, last + 1);
  }
}

// GPT-2's split by hand: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
export function pretokenizeGpt2(text, classes) {
  const characters = [...text]; // code points: the halves of a pair belong together
  const kinds = characters.map((ch) => classes.kinds[ch.codePointAt(0)]);
  const pretokens = [];
  let start = 0;
  while (start < characters.length) {
    const contraction = CONTRACTIONS.find((it) => characters.slice(start, start + it.length).join("") === it);
    let end;
    if (contraction) {
      end = start + contraction.length;
    } else {
      // An optional single space, then a run of one kind.
      let first = characters[start] === " " && start + 1 < characters.length ? start + 1 : start;
      if (kinds[first] === SPACE) first = start;
      end = endOfRun(kinds, first);
      // White space, but not the last of it if more follows: that one is left for the next pre-token.
      if (kinds[first] === SPACE && end < characters.length && end - start > 1) end--;
    }
    pretokens.push(characters.slice(start, end).join(""));
    start = end;
  }
  return pretokens;
}

// Hugging Face's Digits step: every number character is a part of its own, or every run of them; what lies between stays whole.
export function splitDigits(text, { individual }, classes) {
  const characters = [...text];
  const digits = characters.map((ch) => classes.digits[ch.codePointAt(0)]);
  const parts = [];
  for (let start = 0, end; start < characters.length; start = end) {
    end = digits[start] && individual ? start + 1 : endOfRun(digits, start);
    parts.push(characters.slice(start, end).join(""));
  }
  return parts;
}

function endOfRun(kinds, start) {
  let end = start + 1;
  while (end < kinds.length && kinds[end] === kinds[start]) end++;
  return end;
}

// ---- what a tokenizer.json may say ----

const BYTE_LEVEL = {
  type: ["ByteLevel"],
  add_prefix_space: [true, false],
  trim_offsets: [true, false],
  use_regex: [true, false, undefined],
};
const ADDED_TOKEN = {
  id: null,
  content: null,
  single_word: [false],
  lstrip: [false],
  rstrip: [false],
  normalized: [true, false],
  special: [true, false],
};
const MODEL = {
  type: ["BPE", undefined],
  dropout: [null, undefined],
  unk_token: [null, undefined],
  continuing_subword_prefix: [null, "", undefined],
  end_of_word_suffix: [null, "", undefined],
  fuse_unk: [false, undefined],
  byte_fallback: [false, undefined],
  ignore_merges: [false, undefined],
  vocab: null,
  merges: null,
};
const FILE = {
  version: ["1.0", undefined],
  truncation: [null, undefined],
  padding: [null, undefined],
  added_tokens: null,
  normalizer: [null, undefined],
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: null,
};

function checkFields(file) {
  check(file, "", FILE);
  if (file.post_processor != null) check(file.post_processor, "post_processor", BYTE_LEVEL);
  check(file.decoder, "decoder", BYTE_LEVEL);
  check(file.model, "model", MODEL);
  check(file.model.vocab, "model.vocab", null);
  if (file.added_tokens !== undefined && !Array.isArray(file.added_tokens))
    throw new Error(`added_tokens is ${shown(file.added_tokens)}; it must be a list`);
  const { merges } = file.model;
  if (!Array.isArray(merges)) throw new Error(`model.merges is ${shown(merges)}; it must be a list`);
  const rank = merges.findIndex((merge) => typeof merge !== typeof merges[0]);
  if (rank >= 0) throw new Error(`model.merges[${rank}] is ${shown(merges[rank])}; all must be written as the first, ${shown(merges[0])}`);
}

// Throw unless object has no fields but these, each with one of the values listed (null: checked elsewhere; for all: any fields).
function check(object, where, fields) {
  if (object === null || typeof object !== "object" || Array.isArray(object))
    throw new Error(`${where || "the file"} is ${shown(object)}; it must be an object`);
  const path = where && `${where}.`;
  const checkValue = (field) => {
    const found = Object.hasOwn(object, field) ? object[field] : undefined;
    if (fields[field] === null || fields[field].includes(found)) return;
    const known = fields[field].filter((value) => value !== undefined).map((value) => JSON.stringify(value));
    throw new Error(`${path}${field} is ${shown(found)}; it must be ${known.join(" or ")}`);
  };
  if (fields === null) return;
  if (fields.type) checkValue("type"); // an object of another type has other fields; those are not what is wrong with it
  for (const field of Object.keys(object)) {
    if (!Object.hasOwn(fields, field)) throw new Error(`${path}${field} is ${shown(object[field])}; this port does not know the field`);
  }
  Object.keys(fields).forEach(checkValue);
}

// What was met, for a message: as JSON, cut to a length that fits.
function shown(value) {
  const text = value === undefined ? "missing" : typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? String(value));
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

// null for ByteLevel alone; { individual } for ByteLevel after Digits.
function digitsOf(declaration) {
  const byteLevel = { ...BYTE_LEVEL, add_prefix_space: [false], use_regex: [true, undefined] };
  if (declaration?.type !== "Sequence") {
    check(declaration, "pre_tokenizer", byteLevel);
    return null;
  }
  check(declaration, "pre_tokenizer", { type: ["Sequence"], pretokenizers: null });
  const where = "pre_tokenizer.pretokenizers";
  const steps = declaration.pretokenizers;
  if (!Array.isArray(steps) || steps.length < 1 || steps.length > 2)
    throw new Error(`${where} is ${shown(steps)}; it must be ByteLevel, alone or after Digits`);
  if (steps.length === 2) check(steps[0], `${where}[0]`, { type: ["Digits"], individual_digits: [true, false] });
  check(steps.at(-1), `${where}[${steps.length - 1}]`, byteLevel);
  return steps.length === 2 ? { individual: steps[0].individual_digits } : null;
}

// token -> id. A Map: a token may be called "constructor" or "__proto__".
function checkedVocab(vocab) {
  const idOf = new Map(Object.entries(vocab));
  const tokenOf = new Map();
  for (const [token, id] of idOf) {
    const path = `model.vocab[${shown(token)}]`;
    if (!Number.isInteger(id) || id < 0 || id >= idOf.size)
      throw new Error(`${path} is ${shown(id)}; ids run from 0 to ${idOf.size - 1}, one for each token`);
    if (tokenOf.has(id)) throw new Error(`${path} is ${id}, and so is ${shown(tokenOf.get(id))}; an id belongs to one token`);
    tokenOf.set(id, token);
  }
  return idOf;
}

function checkedMerge(merge, rank, vocab) {
  const path = `model.merges[${rank}]`;
  if (typeof merge === "string" && merge.startsWith("#version"))
    throw new Error(`${path} is ${shown(merge)}; Hugging Face skips such a string: it must be written as a pair`);
  const pair = typeof merge === "string" ? merge.split(" ") : merge; // files since 2024 write pairs
  if (!Array.isArray(pair) || pair.length !== 2 || pair.includes("")) throw new Error(`${path} is ${shown(merge)}; it must be two tokens`);
  for (const token of [...pair, pair.join("")]) {
    if (!vocab.has(token)) throw new Error(`${path} is ${shown(merge)}, but the vocabulary lacks ${shown(token)}`);
  }
  return pair;
}

// left -> right -> rank. Two Maps, because no separator is safe: a token may hold any character.
function ranksOf(merges) {
  const ranks = new Map();
  merges.forEach(([left, right], rank) => {
    if (!ranks.has(left)) ranks.set(left, new Map());
    if (ranks.get(left).has(right)) throw new Error(`model.merges[${rank}] is listed twice`);
    ranks.get(left).set(right, rank);
  });
  return ranks;
}

// content -> { id, special }. An added token's id is its id in the vocabulary, or the next free one.
function addedTokens(listed, vocab) {
  const added = new Map();
  let nextFree = vocab.size;
  listed.forEach((token, i) => {
    check(token, `added_tokens[${i}]`, ADDED_TOKEN);
    if (typeof token.content !== "string" || token.content === "" || added.has(token.content))
      throw new Error(`added_tokens[${i}].content is ${shown(token.content)}; it must be a text, not empty, and listed once`);
    if (token.normalized !== listed[0].normalized)
      throw new Error(`added_tokens[${i}].normalized is not that of the first; they would be matched in two passes`);
    const id = vocab.has(token.content) ? vocab.get(token.content) : nextFree++;
    if (token.id !== id) throw new Error(`added_tokens[${i}].id is ${shown(token.id)}; it must be ${id}`);
    added.set(token.content, { id, special: token.special });
  });
  return added;
}
