// The train view: pre-tokens, pair counts, and the merges learned, step by step.

const train = data.train;
const trainPlayer = new Player($("train-player"), "Step of the training", showTrainFrame);

function loadTrain() {
  const frames = [train.pretokens.map((pretoken) => pretoken.symbols)];
  for (const step of train.steps) {
    const symbols = [...frames.at(-1)];
    for (const change of step.changed) symbols[change.pretoken] = change.after;
    frames.push(symbols);
  }
  $("learned").replaceChildren(
    ...train.steps.map((step, i) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", onclick: () => trainPlayer.go(i + 1), title: `rank ${step.rank}, id ${step.id}, count ${step.chosen.count}` },
          element("i", {}, `${step.rank} `),
          pairText(step.chosen),
        ),
      ),
    ),
  );
  const listed = train.pretokens.length;
  $("corpus-note").textContent = train.pretokens_total > listed ? `and ${train.pretokens_total - listed} more` : "";
  trainPlayer.load(frames);
}

function showTrainFrame(symbols, now) {
  const step = train.steps[now - 1];
  $("corpus").replaceChildren(
    ...train.pretokens.map((pretoken, i) =>
      element(
        "li",
        {},
        element("span", { class: "times" }, `${pretoken.count} ×`),
        element(
          "span",
          { class: "row" },
          ...symbols[i].map((symbol) => element("span", { class: `cell ${step && symbol === step.token ? "made" : ""}` }, symbol)),
        ),
      ),
    ),
  );
  [...$("learned").children].forEach((item, i) => {
    item.firstChild.classList.toggle("now", i === now - 1);
    item.firstChild.classList.toggle("future", i >= now);
  });
  const next = train.steps[now];
  const pairs = next ? next.pairs : train.pairs_left;
  const total = next ? next.pairs_total : train.pairs_left_total;
  const ties = new Set((next?.tied ?? []).map(pairText));
  const most = pairs[0]?.count ?? 1;
  const rows = pairs.map((pair, i) =>
    element(
      "tr",
      { class: next && i === 0 ? "best" : ties.has(pairText(pair)) ? "tie" : null },
      number(pair.count),
      element("td", { class: "bars" }, element("span", { class: "bar", style: `width:${(100 * pair.count) / most}%` })),
      pairCell(pair),
      number(`${pair.left_id}, ${pair.right_id}`),
    ),
  );
  $("counts").replaceChildren(
    ...(rows.length ? [head(["count", true], [""], ["pair"], ["ids", true]), element("tbody", {}, ...rows)] : []),
  );
  $("counts-note").textContent = total > pairs.length ? `and ${count(total - pairs.length, "more pair")}` : "";
  const done = step
    ? `Step ${now}: ${pairText(step.chosen)} became ${step.token}, id ${step.id}.`
    : `${count(train.pretokens_total, "distinct pre-token")}, each byte a symbol.`;
  if (!next) return `${done} Training stops here: ${train.stopped}.`;
  const best = next.chosen,
    second = next.tied[0];
  const times = best.count === 1 ? "once" : `${best.count.toLocaleString("en")} times`;
  return second
    ? `${done} Tie: ${pairText(best)} and ${count(next.tied_total, "other pair")} occur ${times} each; the smallest ids win, (${best.left_id}, ${best.right_id}) before (${second.left_id}, ${second.right_id}).`
    : `${done} Now ${pairText(best)} occurs most often, ${times}.`;
}
