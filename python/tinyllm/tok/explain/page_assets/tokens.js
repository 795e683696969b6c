// The tokens of the whole text, in colour, those that share a character in one frame.

// Tokens and dropped bytes in the order of the text, those that share a character together.
function tokenGroups(trace) {
  const bytes = trace.parts.flatMap((part) => (part.kind === "added" ? [...new TextEncoder().encode(part.text)] : part.bytes));
  const tokens = trace.parts.flatMap((part) => part.tokens.map((token) => ({ ...token, special: part.special ?? false })));
  if (!trace.framed) return groupsOf(bytes, tokens, 0, bytes.length);
  // A wide tokenizer's trace: what was put in around the text, and only the tokens that were kept.
  const putIn = (place) => ({ text: place.token, items: [place] });
  if (!tokens.length) return [...groupsOf(bytes, [], 0, bytes.length), ...trace.framed.map(putIn)];
  const groups = [];
  let run = [];
  trace.framed.forEach((place, i) => {
    if (typeof place !== "number") {
      groups.push(putIn(place));
      return;
    }
    run.push(tokens[place]);
    if (trace.framed[i + 1] === place + 1) return;
    const start = run[0] === tokens[0] ? 0 : run[0].start;
    const end = place === tokens.length - 1 ? bytes.length : tokens[place].end;
    groups.push(...groupsOf(bytes, run, start, end));
    run = [];
  });
  return groups;
}

// The same for the bytes from start to end. The text of a group is whole characters, also where it is cut inside one.
function groupsOf(bytes, tokens, start, end) {
  const begins = (at) => at === 0 || at === bytes.length || (bytes[at] & 0xc0) !== 0x80;
  const groups = [];
  let open = [],
    at = start;
  const add = (item) => {
    open.push(item);
    at = Math.max(at, item.end);
    if (item.end !== end && !begins(item.end)) return;
    let first = open[0].start,
      last = item.end;
    while (!begins(first)) first--;
    while (!begins(last)) last++;
    groups.push({ text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes.slice(first, last))), items: open });
    open = [];
  };
  for (const token of tokens) {
    if (token.start > at) add({ bytes: bytes.slice(at, token.start), start: at, end: token.start });
    add(token);
  }
  if (at < end) add({ bytes: bytes.slice(at, end), start: at, end });
  return groups;
}

function groupElement({ text, items }) {
  const boxes = items.map((item) =>
    item.id === undefined
      ? element(
          "span",
          { class: "token dropped", title: `no token: the vocabulary has no symbol for ${hex(item.bytes)}` },
          element("b", {}, displayBytes(item.bytes)),
          element("small", {}, "dropped"),
        )
      : element(
          "span",
          { class: item.special || item.by ? "token special" : "token", "--hue": hueOf(item.id), title: aboutToken(item) },
          element("b", {}, item.by || item.unknown ? display(item.token) : displayBytes(item.bytes)),
          element("small", {}, String(item.id)),
        ),
  );
  const label = items.map((item) => (item.id === undefined ? "dropped" : `id ${item.id}`)).join(", ");
  const box =
    boxes.length === 1
      ? boxes[0]
      : element("span", { class: "shared", title: `one character in ${boxes.length} parts` }, element("i", {}, display(text)), ...boxes);
  return element("span", { role: "listitem", "aria-label": `${display(text)}: ${label}` }, box);
}

function aboutToken(token) {
  if (token.by) return `id ${token.id} · put in ${token.by === "padding" ? "as padding" : "by the post-processor"}`;
  if (token.unknown) return `id ${token.id} · stands for bytes ${hex(token.bytes)}, which have no token`;
  return `id ${token.id} · bytes ${hex(token.bytes)}${token.rank === null ? "" : ` · rank ${token.rank}`}`;
}
