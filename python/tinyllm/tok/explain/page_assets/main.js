// The byte alphabet, the tabs, the keys; and the start.

function showBytes() {
  const text = trace.normalized ?? trace.text;
  const bytes = new TextEncoder().encode(text);
  const used = new Set(bytes),
    missing = new Set(data.missing);
  const standIn = (byte) => data.alphabet[byte];
  $("alphabet").replaceChildren(
    ...data.alphabet.map((symbol, byte) =>
      element(
        "div",
        {
          role: "listitem",
          class: [symbol.codePointAt(0) === byte ? "" : "moved", used.has(byte) ? "used" : "", missing.has(byte) ? "missing" : ""].join(
            " ",
          ),
          title: `byte ${hex([byte])} is ${symbol}, U+${symbol.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}${missing.has(byte) ? "; this vocabulary lacks it" : ""}`,
        },
        element("b", {}, symbol),
        element("small", {}, hex([byte])),
      ),
    ),
  );
  const all = [...text],
    characters = all.slice(0, 80);
  $("spelling").replaceChildren(
    ...characters.map((ch) => {
      const own = [...new TextEncoder().encode(ch)];
      return element(
        "div",
        { role: "listitem" },
        element("b", {}, display(ch)),
        element("small", {}, hex(own)),
        element("span", {}, own.map(standIn).join("")),
      );
    }),
    ...(all.length > characters.length ? [element("span", { class: "soft" }, `and ${all.length - characters.length} more`)] : []),
  );
  $("missing").textContent = data.missing.length
    ? `Struck out: ${count(data.missing.length, "byte")} that this vocabulary has no symbol for. They are dropped.`
    : "";
}

// ---- tabs and keys ----

$("tab-bytes").hidden = !data.byte_level; // a model of characters has no byte alphabet
const tabs = [...document.querySelectorAll("[role=tab]:not([hidden])")];
const players = { encode: encodePlayer, train: trainPlayer };

function openTab(tab, focus = false) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
  for (const player of Object.values(players)) player.stop();
  if (focus) tab.focus();
}

for (const tab of tabs) {
  tab.addEventListener("click", (event) => {
    openTab(tab);
    if (event.detail) tab.blur(); // by mouse or touch: the arrow keys step from here; from the keyboard they go on to other tabs
  });
  tab.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    openTab(tabs[(tabs.indexOf(tab) + move + tabs.length) % tabs.length], true);
  });
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("textarea, input")) return;
  const player = players[tabs.find((tab) => tab.getAttribute("aria-selected") === "true").getAttribute("aria-controls")];
  if (!player || (event.key === " " && event.target.closest("button"))) return;
  const part = player === encodePlayer && trace.parts.length ? player.frames[player.at].p : -1;
  const act = {
    ArrowLeft: () => player.go(player.at - 1),
    ArrowRight: () => player.go(player.at + 1),
    Home: () => player.go(0),
    End: () => player.go(player.frames.length - 1),
    " ": () => player.toggle(),
    PageUp: part >= 0 ? () => player.go(firstFrameOf[Math.max(0, part - 1)]) : null,
    PageDown: part >= 0 ? () => player.go(firstFrameOf[Math.min(trace.parts.length - 1, part + 1)]) : null,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

loadEncode(data.encode);
loadTrain();
openTab($(`tab-${data.view}`));
