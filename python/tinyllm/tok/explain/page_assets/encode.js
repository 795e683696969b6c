// The encode view: the tokens of a text and, round by round, how its parts were merged.

let trace = null,
  hueOf = null,
  drawn = null,
  firstFrameOf = [];
const encodePlayer = new Player($("encode-player"), "Step of the encoding", showEncodeFrame);

function loadEncode(newTrace, at = 0) {
  trace = newTrace;
  hueOf = hues(trace.ids);
  drawn = null;
  $("heading").replaceChildren(...marked(trace.text === "" ? "an empty text" : shorten(display(trace.text), 160)));
  $("heading").classList.toggle("long", [...trace.text].length > 40);
  $("summary").textContent =
    `${count([...trace.text].length, "character")}, ${count(new TextEncoder().encode(trace.text).length, "byte")}, ${count(trace.ids.length, "token")}`;
  $("tokens").replaceChildren(...tokenGroups(trace).map(groupElement));
  const frames = [];
  firstFrameOf = trace.parts.map((part, p) => {
    const first = frames.length;
    for (let k = 0; k <= (part.rounds ?? []).length; k++) frames.push({ p, k });
    return first;
  });
  $("parts").hidden = trace.parts.length < 2;
  $("parts").replaceChildren(
    ...trace.parts.map((part, p) =>
      element(
        "button",
        { type: "button", title: part.kind === "added" ? "added token" : "pre-token", onclick: () => encodePlayer.go(firstFrameOf[p]) },
        partName(part),
        ...(part.kind === "added" ? [element("i", {}, " added")] : part.cached_from !== null ? [element("i", {}, " cached")] : []),
      ),
    ),
  );
  encodePlayer.load(frames.length ? frames : [{ p: -1, k: 0 }], at);
  showBytes();
}

// A pre-token may be cut inside a character.
const partName = (part) => (part.kind === "added" ? display(part.text) : displayBytes(part.bytes));

function showEncodeFrame({ p, k }) {
  if (p < 0) {
    $("rounds").replaceChildren();
    $("choices").hidden = true;
    return "An empty text has no tokens.";
  }
  const part = trace.parts[p];
  const work = part.cached_from == null ? part : trace.parts[part.cached_from]; // a cached pre-token shows the rounds of the first
  if (drawn !== p) drawRounds(part, work);
  drawn = p;
  const rounds = work.rounds ?? [];
  const now = part === work ? k : rounds.length;
  [...$("parts").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === p)));
  for (const row of $("rounds").children) {
    const number = +row.dataset.round;
    row.classList.toggle("now", number === now && !row.classList.contains("hex") && !row.classList.contains("result"));
    row.classList.toggle("future", number > now);
    row.querySelector(".cells").setAttribute("aria-hidden", String(number > now));
    row.querySelector(".label")?.[number === now ? "setAttribute" : "removeAttribute"]("aria-current", "step");
  }
  markNext(now, rounds);
  $("choices").hidden = part.kind === "added";
  if (part.kind !== "added") {
    showCandidates(work, now);
    showNever(work);
    for (const row of $("never").querySelectorAll("[data-taken]")) row.classList.toggle("here", now > 0 && +row.dataset.taken === now);
  }
  return sentence(part, work, now);
}

function sentence(part, work, now) {
  const name = shorten(partName(part), 40);
  if (part.kind === "added")
    return `${name} is an added token${trace.framed ? "" : ", matched in the text before anything else"}: id ${part.tokens[0].id}.`;
  if (part.cached_from !== null)
    return `${name} was here before, as part ${part.cached_from + 1}: its result is taken from the cache, and nothing is merged again.`;
  if (work.whole) return `${name} is a token, and this model takes such a pre-token whole: nothing is merged (ignore_merges).`;
  const ranked = candidatesAt(work, now).filter((candidate) => candidate.rank !== null);
  const round = work.rounds[now - 1];
  const dropped = part.dropped.length ? ` The vocabulary has no symbol for ${hex(part.dropped.map((at) => part.bytes[at]))}: dropped.` : "";
  const done = round
    ? `Round ${now}: ${pairText(round)} became ${round.token}${round.merged.length > 1 ? ` in ${round.merged.length} places` : ""}.`
    : `${name} is ${count(part.bytes.length, "byte")}, ${work.symbols.length + part.dropped.length === part.bytes.length ? "one symbol each" : `in ${count(work.symbols.length, "symbol")}`}.${dropped}`;
  const next = ranked.length
    ? ` Now ${pairText(ranked[0])} has the lowest rank, ${ranked[0].rank}${ranked.length > 1 ? `, of ${ranked.length} merges that are possible` : ", and is the only merge possible"}.`
    : ` No pair left is a merge: ${count(part.tokens.length, "token")}.`;
  return done + next;
}

// What is adjacent after `now` rounds, the lowest rank first. After the last round nothing has a rank.
function candidatesAt(work, now) {
  if (now < work.rounds.length) return work.rounds[now].candidates;
  const symbols = now ? work.rounds[now - 1].after : work.symbols;
  const seen = new Map();
  symbols.slice(1).forEach((right, i) => seen.set(JSON.stringify([symbols[i], right]), { left: symbols[i], right, rank: null }));
  return [...seen.values()];
}

// All rows of a part at once, one a round; later ones stay unseen until their time, so that nothing jumps.
function drawRounds(part, work) {
  const list = $("rounds");
  if (part.kind === "added") {
    list.style.setProperty("--n", 6); // room for its spelling
    list.replaceChildren(
      element(
        "li",
        { "data-round": 0, class: "result" },
        element("span", { class: "label wide" }, element("span", {}, "added token")),
        row(
          [{ text: display(part.text), span: 6, kind: "end", hue: hueOf(part.tokens[0].id), small: String(part.tokens[0].id) }],
          `id ${part.tokens[0].id}`,
        ),
      ),
    );
    return;
  }
  const n = Math.max(1, work.symbols.length);
  list.style.setProperty("--n", n);
  const spans = [work.symbols.map(() => 1)]; // of each row, how many of the first symbols each symbol is
  for (const { merged } of work.rounds) {
    const row = [...spans.at(-1)];
    merged.forEach((place, before) => row.splice(place - before, 2, row[place - before] + row[place - before + 1]));
    spans.push(row);
  }
  const hueAt = []; // each first symbol in the hue of the token it ends in
  part.tokens.forEach((token, i) => hueAt.push(...Array(spans.at(-1)[i]).fill(hueOf(token.id))));
  const kept = work.bytes.filter((_, i) => !work.dropped.includes(i));
  const bytesOf = work.symbol_bytes ?? kept.map((byte) => [byte]);
  const rows = [
    element(
      "li",
      { class: "hex", "data-round": 0 },
      element("span", { class: "label", "aria-hidden": "true" }, ...["round", "rank", "pair"].map((name) => element("span", {}, name))),
      row(
        bytesOf.map((bytes) => ({ text: hex(bytes), span: 1, kind: "", hue: "transparent" })),
        `bytes ${hex(kept)}`,
      ),
    ),
    roundRow(0, bytesOf.length === kept.length ? "bytes" : "symbols", null, work.symbols, new Set(), hueAt, spans[0]),
    ...work.rounds.map((round, i) =>
      roundRow(i + 1, null, round, round.after, new Set(round.merged.map((place, before) => place - before)), hueAt, spans[i + 1]),
    ),
    element(
      "li",
      { class: "result", "data-round": work.rounds.length },
      wide(part.tokens.length === 1 ? "token" : "tokens"),
      row(
        part.tokens.map((token, i) => ({
          text: token.unknown ? display(token.token) : displayBytes(token.bytes),
          span: spans.at(-1)[i],
          kind: "end",
          hue: hueOf(token.id),
          small: String(token.id),
          title: aboutToken(token),
        })),
        `ids ${part.tokens.map((token) => token.id).join(" ")}`,
      ),
    ),
  ];
  list.replaceChildren(...rows);
}

const wide = (text) => element("span", { class: "label wide" }, element("span", {}, text));

function roundRow(number, name, round, symbols, made, hueAt, spans) {
  const jump = () => encodePlayer.go(firstFrameOf[drawn] + (trace.parts[drawn].cached_from === null ? number : 0));
  const label = round
    ? element(
        "button",
        {
          type: "button",
          class: "label",
          onclick: jump,
          "aria-label": `round ${number}, rank ${round.rank}, ${pairText(round)}`,
          title: `round ${number}: rank ${round.rank}, ${pairText(round)}`,
        },
        element("span", {}, String(number)),
        element("span", {}, String(round.rank)),
        element("span", {}, pairText(round)),
      )
    : element("button", { type: "button", class: "label wide", onclick: jump }, element("span", {}, name));
  let at = 0;
  const items = symbols.map((symbol, i) => {
    const span = spans[i];
    const item = { text: symbol, span, kind: made.has(i) ? "made" : span === 1 ? "byte" : "", hue: hueAt[at] };
    at += span;
    return item;
  });
  return element("li", { "data-round": number }, label, row(items, symbols.join(" ")));
}

// To a screen reader a row is one picture, which reads as `label`.
function row(items, label) {
  return element(
    "div",
    { class: "cells", role: "img", "aria-label": label },
    ...items.map(({ text, span, kind, hue, small, title }) =>
      element(
        "span",
        { class: `cell ${kind}`, style: `grid-column: span ${span}`, "--hue": hue, title: title ?? null },
        text,
        ...(small ? [element("small", {}, small)] : []),
      ),
    ),
  );
}

// Underline, in the row of now, the occurrences that the next round merges.
function markNext(now, rounds) {
  for (const marked of $("rounds").querySelectorAll(".next")) marked.classList.remove("next");
  if (now >= rounds.length) return;
  const cellsNow = $("rounds").querySelector(`li[data-round="${now}"]:not(.hex):not(.result) .cells`).children;
  for (const at of rounds[now].merged) for (const i of [at, at + 1]) cellsNow[i].classList.add("next");
}

const MOST = 24; // rows of a table; more would bury the first

function showCandidates(work, now) {
  const all = candidatesAt(work, now);
  const ranked = all.filter((candidate) => candidate.rank !== null);
  const rows = ranked
    .slice(0, MOST)
    .map((candidate, i) =>
      element(
        "tr",
        { class: i ? null : "best" },
        number(candidate.rank),
        pairCell(candidate),
        number(candidate.at.length === 1 ? "" : `× ${candidate.at.length}`),
      ),
    );
  $("candidates").replaceChildren(...(rows.length ? [head(["rank", true], ["pair"], ["", true]), element("tbody", {}, ...rows)] : []));
  const plain = shorten(
    all
      .filter((candidate) => candidate.rank === null)
      .map(pairText)
      .join(", "),
    300,
  );
  const more = ranked.length > MOST ? `and ${count(ranked.length - MOST, "more merge")}. ` : "";
  $("candidates-note").textContent = !all.length
    ? "There is one symbol, so no pair."
    : more + (plain ? `${ranked.length ? "No merge" : "None is a merge"}: ${plain}` : "");
}

function showNever(work) {
  const all = work.never_chosen;
  const rows = all
    .slice(0, MOST)
    .map((merge) =>
      element("tr", { "data-taken": merge.taken_in }, number(merge.rank), pairCell(merge), element("td", { class: "why" }, merge.reason)),
    );
  $("never").replaceChildren(...(rows.length ? [head(["rank", true], ["pair"], ["why not"]), element("tbody", {}, ...rows)] : []));
  $("never-note").textContent =
    all.length > MOST
      ? `and ${all.length - MOST} more`
      : all.length
        ? ""
        : work.rounds.length
          ? "None: every merge that was possible was made."
          : "None was possible.";
}
