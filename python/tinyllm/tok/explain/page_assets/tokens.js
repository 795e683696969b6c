// The tokens of the whole text, in colour, those that share a character in one frame.

// Tokens and dropped bytes in the order of the text, those that share a character together.
function tokenGroups(trace) {
  const bytes = new TextEncoder().encode(trace.text);
  const groups = [];
  let open = [],
    at = 0;
  const add = (item) => {
    open.push(item);
    at = item.end;
    if (at === bytes.length || (bytes[at] & 0xc0) !== 0x80) {
      groups.push({ text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.slice(open[0].start, at)), items: open });
      open = [];
    }
  };
  for (const part of trace.parts) {
    for (const token of part.tokens) {
      if (token.start > at) add({ bytes: [...bytes.slice(at, token.start)], start: at, end: token.start });
      add({ ...token, special: part.special ?? false });
    }
  }
  if (at < bytes.length) add({ bytes: [...bytes.slice(at)], start: at, end: bytes.length });
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
          { class: item.special ? "token special" : "token", "--hue": hueOf(item.id), title: aboutToken(item) },
          element("b", {}, displayBytes(item.bytes)),
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

const aboutToken = (token) => `id ${token.id} · bytes ${hex(token.bytes)}${token.rank === null ? "" : ` · rank ${token.rank}`}`;
