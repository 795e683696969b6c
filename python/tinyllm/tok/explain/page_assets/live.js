// A live page: what is typed is encoded here, in the browser, by the port.

const parse = (id) => JSON.parse($(id).textContent);
const tokenizer = new BPETokenizer(parse("tokenizer"), parse("classes"));
const rankOf = firstRanks(tokenizer.merges);
const LONGEST = 500; // bytes of a pre-token whose trace is shown: it grows with their square

function encodeTyped() {
  const text = $("text").value,
    special = $("special").checked ? "all" : "none";
  try {
    const long = tokenizer.parts(text, special).find((part) => !part.added && new TextEncoder().encode(part.text).length > LONGEST);
    if (long)
      throw new Error(
        `a pre-token here is longer than ${LONGEST} bytes, too long to show its rounds. The ids are ${tokenizer.encode(text, { special }).join(" ")}`,
      );
    loadEncode(traceEncode(tokenizer, text, special, rankOf), Infinity);
    $("problem").textContent = "";
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

$("typed").hidden = false;
$("typed").addEventListener("submit", (event) => event.preventDefault());
$("text").value = data.encode.text;
$("text").addEventListener("input", encodeTyped);
$("special").checked = data.special === "all";
$("special").closest("label").hidden = ![...tokenizer.added.values()].some(({ special }) => special);
$("special").addEventListener("change", encodeTyped);
