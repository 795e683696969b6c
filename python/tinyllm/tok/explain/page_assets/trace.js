// A live page's own trace of what was typed: what encoding.py gives, field by field, on the port's tokenizer.

const SMALL_TABLE = 100;

// rankOf: token -> the rank of the first merge that spells it. The same for every text, so a page makes it once.
function firstRanks(merges) {
  const rankOf = new Map();
  merges.forEach(([left, right], rank) => {
    if (!rankOf.has(left + right)) rankOf.set(left + right, rank);
  });
  return rankOf;
}

function traceEncode(tokenizer, text, special, rankOf = firstRanks(tokenizer.merges)) {
  const parts = [],
    firstAt = new Map();
  let start = 0; // in bytes
  for (const { text: part, added } of tokenizer.parts(text, special)) {
    const bytes = [...new TextEncoder().encode(part)];
    if (added) {
      const { id, special } = tokenizer.added.get(part);
      parts.push({
        kind: "added",
        text: part,
        special,
        tokens: [{ id, token: part, bytes, rank: null, start, end: start + bytes.length }],
      });
    } else if (firstAt.has(part)) {
      const { index, at } = firstAt.get(part),
        first = parts[index];
      const tokens = first.tokens.map((token) => ({ ...token, start: token.start + start - at, end: token.end + start - at }));
      parts.push({ ...first, cached_from: index, rounds: [], never_chosen: [], tokens });
    } else {
      firstAt.set(part, { index: parts.length, at: start });
      parts.push(tracePretoken(tokenizer, part, bytes, start, rankOf));
    }
    start += bytes.length;
  }
  return { text, ids: parts.flatMap((part) => part.tokens.map((token) => token.id)), parts };
}

function tracePretoken(tokenizer, pretoken, bytes, start, rankOf) {
  const has = (byte) => tokenizer.vocab.has(tokenizer.symbolOf.get(byte));
  const kept = bytes.flatMap((byte, at) => (has(byte) ? [at] : []));
  const dropped = bytes.flatMap((byte, at) => (has(byte) ? [] : [at]));
  const symbols = kept.map((at) => tokenizer.symbolOf.get(bytes[at]));
  const rounds = traceRounds(tokenizer, symbols);
  let first = 0; // in kept
  const tokens = (rounds.length ? rounds.at(-1).after : symbols).map((symbol) => {
    const covered = kept.slice(first, (first += [...symbol].length)); // one character of a symbol stands for one byte
    return {
      id: tokenizer.vocab.get(symbol),
      token: symbol,
      bytes: covered.map((at) => bytes[at]),
      rank: rankOf.get(symbol) ?? null,
      start: start + covered[0],
      end: start + covered.at(-1) + 1,
    };
  });
  return {
    kind: "pretoken",
    text: pretoken,
    bytes,
    dropped,
    symbols,
    cached_from: null,
    rounds,
    never_chosen: neverChosen(tokenizer, rounds, symbols),
    tokens,
  };
}

// One merge at a time; merges of the pair that was merged last belong to its round.
function traceRounds(tokenizer, symbols) {
  const rounds = [];
  for (;;) {
    const before = symbols,
      candidates = candidatesOf(tokenizer, symbols);
    if (!candidates.length || candidates[0].rank === null) return rounds;
    const { rank, left, right } = candidates[0];
    const merged = [];
    for (let next = candidates; next.length && next[0].rank === rank; next = candidatesOf(tokenizer, symbols)) {
      const at = next[0].at[0]; // the leftmost
      merged.push(at + merged.length); // each merge before it made the row one symbol shorter
      symbols = [...symbols.slice(0, at), left + right, ...symbols.slice(at + 2)];
    }
    rounds.push({
      rank,
      left,
      right,
      token: left + right,
      id: tokenizer.vocab.get(left + right),
      before,
      candidates,
      merged,
      after: symbols,
    });
  }
}

// Every adjacent pair with its rank and places, by rank, those without one at the end.
function candidatesOf(tokenizer, symbols) {
  const found = new Map();
  for (let i = 0; i + 1 < symbols.length; i++) {
    const key = JSON.stringify([symbols[i], symbols[i + 1]]);
    if (!found.has(key)) {
      const rank = tokenizer.rank(symbols[i], symbols[i + 1]);
      found.set(key, { left: symbols[i], right: symbols[i + 1], rank: rank === Infinity ? null : rank, at: [] });
    }
    found.get(key).at.push(i);
  }
  return [...found.values()].sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || a.at[0] - b.at[0]);
}

function neverChosen(tokenizer, rounds, symbols) {
  const key = ({ left, right }) => JSON.stringify([left, right]);
  const chosen = new Set(rounds.map(key)),
    seen = new Map();
  rounds.forEach((round, i) => {
    for (const candidate of round.candidates) {
      if (candidate.rank === null || chosen.has(key(candidate))) continue;
      if (!seen.has(key(candidate))) seen.set(key(candidate), { ...candidate, rounds: [] });
      seen.get(key(candidate)).rounds.push(i + 1);
    }
  });
  const listed =
    tokenizer.merges.length < SMALL_TABLE
      ? tokenizer.merges.map(([left, right], rank) => ({ rank, left, right })).filter((pair) => !chosen.has(key(pair)))
      : [...seen.values()].sort((a, b) => a.rank - b.rank);
  const ever = new Set([...symbols, ...rounds.map((round) => round.token)]);
  return listed.map(({ rank, left, right }) => {
    const at = seen.get(key({ left, right }))?.rounds;
    if (at) return { rank, left, right, rounds: at, taken_in: at.at(-1), reason: whyTaken(left, right, at.at(-1), rounds[at.at(-1) - 1]) };
    const missing = [...new Set([left, right])].filter((part) => !ever.has(part)).join(" and ");
    return {
      rank,
      left,
      right,
      rounds: [],
      taken_in: null,
      reason: missing ? `${missing} never was a symbol here` : `${left} never stood before ${right} when a round began`,
    };
  });
}

function whyTaken(left, right, number, round) {
  const candidate = round.candidates.find((candidate) => candidate.left === left && candidate.right === right);
  const used = new Set(round.merged.flatMap((at) => [at, at + 1]));
  const taken = new Set(candidate.at.flatMap((at) => [...(used.has(at) ? [left] : []), ...(used.has(at + 1) ? [right] : [])]));
  const took = [...new Set([left, right])].filter((part) => taken.has(part)).join(" and ");
  return `round ${number} merged ${round.left} + ${round.right} (rank ${round.rank}) first and took its ${took}`;
}
