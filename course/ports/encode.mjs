// Run bpe.mjs on JSON Lines, as `tok encode --jsonl` does: {"text": ...} in, {"text": ..., "ids": [...]} out, spelled as
// Python's json.dumps spells it, so that a port is compared with its oracle line by line:
//
//     node course/ports/encode.mjs gpt2 < course/fixtures/gpt2/oracle.jsonl | cmp - course/fixtures/gpt2/oracle.jsonl
//     node course/ports/encode.mjs PATH/tokenizer.json --special none < texts.jsonl

import { readFileSync } from "node:fs";
import { BPETokenizer } from "./bpe.mjs";

const bundled = ["gpt2", "smollm2"];
const fixture = (path) => new URL(`../fixtures/${path}`, import.meta.url);
const read = (path) => JSON.parse(readFileSync(path, "utf-8"));

function main([name, option, special = "all", ...more]) {
  if (!name || (option !== undefined && option !== "--special") || more.length) {
    throw new Error("usage: node encode.mjs gpt2|smollm2|TOKENIZER_JSON [--special all|none] < TEXTS");
  }
  const path = bundled.includes(name) ? fixture(`${name}/tokenizer.json`) : name;
  const tokenizer = new BPETokenizer(read(path), read(fixture("unicode16/classes.json")));
  const lines = readFileSync(0, "utf-8").split("\n").filter(Boolean);
  for (const { text } of lines.map((line) => JSON.parse(line))) {
    const ids = tokenizer.encode(text, { special });
    process.stdout.write(`{"text": ${ascii(JSON.stringify(text))}, "ids": [${ids.join(", ")}]}\n`);
  }
}

function ascii(json) {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`encode.mjs: ${error.message}`);
  process.exitCode = 2;
}
