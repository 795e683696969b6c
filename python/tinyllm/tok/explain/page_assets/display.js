// What all views of the page share: its elements, and text and bytes made visible by the rules of display.py. Text goes into
// the page as text nodes only, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const head = (...names) =>
  element(
    "thead",
    {},
    element("tr", {}, ...names.map(([name, number]) => element("th", { class: number ? "number" : null, scope: "col" }, name))),
  );
const number = (value) => element("td", { class: "number" }, String(value));
const pairCell = (pair) => element("td", { class: pairText(pair).length > 16 ? "pair long" : "pair" }, pairText(pair));
const count = (n, unit) => `${n.toLocaleString("en")} ${unit}${n === 1 ? "" : "s"}`;
const hex = (bytes) => bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
const pairText = (pair) => `${pair.left} + ${pair.right}`;

// The same rules as display.py: nothing invisible, and the marks used for it are escaped where the text has them.
const ESCAPES = new Map([
  [" ", "␣"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);
const UNSEEN = /[\p{C}\p{Z}\u115f\u1160\u3164\uffa0\u2800␣‹›\u25cc\ufffd\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

function display(text) {
  let shown = "",
    onSomething = false;
  for (const ch of text) {
    const code = ch.codePointAt(0);
    let one = ch;
    if (ESCAPES.has(ch)) one = ESCAPES.get(ch);
    else if (UNSEEN.test(ch))
      one =
        code < 0x100
          ? `\\x${code.toString(16).padStart(2, "0")}`
          : code < 0x10000
            ? `\\u${code.toString(16).padStart(4, "0")}`
            : `\\U${code.toString(16).padStart(8, "0")}`;
    else if (/\p{M}/u.test(ch) && !onSomething) one = "\u25cc" + ch;
    onSomething = one.endsWith(ch);
    shown += one;
  }
  return shown;
}

function displayBytes(bytes) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let shown = "",
    text = "",
    stray = [];
  const flush = () => {
    shown += display(text) + (stray.length ? `‹${hex(stray)}›` : "");
    [text, stray] = ["", []];
  };
  for (let at = 0; at < bytes.length;) {
    const character = [1, 2, 3, 4]
      .map((n) => bytes.slice(at, at + n))
      .find((slice) => {
        try {
          return [...strict.decode(Uint8Array.from(slice))].length === 1;
        } catch {
          return false;
        }
      });
    if (character) {
      if (stray.length) flush();
      text += strict.decode(Uint8Array.from(character));
    } else {
      stray.push(bytes[at]);
    }
    at += character ? character.length : 1;
  }
  flush();
  return shown;
}

// A hue for each id, in the order of first occurrence; a new id takes another hue than the token before it.
function hues(ids) {
  const hueOf = new Map();
  let before = null;
  for (const id of ids) {
    if (!hueOf.has(id)) hueOf.set(id, hueOf.size % 8 === before ? (hueOf.size + 1) % 8 : hueOf.size % 8);
    before = hueOf.get(id);
  }
  return (id) => `var(--h${hueOf.get(id)})`;
}

// Visible text with its marks (spaces, escapes) set apart.
const marked = (shown) => shown.split(/(␣|\\(?:\\|[nrt]|x..|u....|U.{8}))/).map((part, i) => (i % 2 ? element("i", {}, part) : part));
const shorten = (text, most) => ([...text].length <= most ? text : [...text].slice(0, most).join("") + " …");
