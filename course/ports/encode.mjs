// Run bpe.mjs on JSON Lines, as `tok encode --jsonl` does: {"text": ...} in, {"text": ..., "ids": [...]} out, spelled as
// Python's json.dumps spells it, so that a port is compared with its oracle line by line:
//
//     node course/ports/encode.mjs gpt2 < course/fixtures/gpt2/oracle.jsonl | cmp - course/fixtures/gpt2/oracle.jsonl
//     node course/ports/encode.mjs PATH/tokenizer.json --special none < texts.jsonl

import { existsSync, readFileSync } from "node:fs";
import { BPETokenizer } from "./bpe.mjs";

const BUNDLED = ["gpt2", "smollm2"];
const OBJECT = 'it must be an object with one "text" that is a string, as in {"text": "Hi"}';
const fixture = (path) => new URL(`../fixtures/${path}`, import.meta.url);

function main([name, option, special = "all", ...more]) {
  if (!name || (option !== undefined && option !== "--special") || !["all", "none"].includes(special) || more.length) {
    throw new Error("usage: node encode.mjs gpt2|smollm2|TOKENIZER_JSON [--special all|none] < TEXTS");
  }
  const path = BUNDLED.includes(name) ? fixture(`${name}/tokenizer.json`) : name;
  if (!existsSync(path)) throw new Error(`${name} is no file; there are ${BUNDLED.join(", ")}, or the path of a tokenizer.json`);
  const classes = parsed(readFileSync(fixture("unicode16/classes.json")));
  const tokenizer = naming(name, () => new BPETokenizer(parsed(readFileSync(path)), classes));
  lines(readFileSync(0)).forEach((line, i) => {
    const [text, ids] = naming(`standard input, line ${i + 1}`, () => {
      const text = textIn(line);
      return [text, tokenizer.encode(text, { special })];
    });
    process.stdout.write(`{"text": ${ascii(JSON.stringify(text))}, "ids": [${ids.join(", ")}]}\n`);
  });
}

// The lines of a file, as bytes. They end with "\n" alone.
function lines(content) {
  const found = [];
  for (let start = 0, end; start < content.length; start = end + 1) {
    end = content.indexOf("\n", start);
    if (end < 0) end = content.length;
    found.push(content.subarray(start, end));
  }
  return found;
}

function textIn(line) {
  const found = parsed(line);
  if (found === null || typeof found !== "object" || Array.isArray(found) || typeof found.text !== "string") throw new Error(OBJECT);
  return found.text;
}

// What JSON in UTF-8 says. Bytes that are no UTF-8 are refused: read as U+FFFD they would be another text.
function parsed(bytes) {
  let json;
  try {
    json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("not UTF-8");
  }
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`not JSON: ${error.message}`);
  }
}

// What `make` returns; an error from it says where it was met.
function naming(place, make) {
  try {
    return make();
  } catch (error) {
    throw new Error(`${place}: ${error.message}`);
  }
}

function ascii(json) {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`encode.mjs: ${error.message.replace(/\p{Cc}/gu, ascii)}`); // one line, and none that a terminal obeys
  process.exitCode = 2;
}
