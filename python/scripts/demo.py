"""The main job in front of one's eyes: real ids beside the expected ones, and a small training run, saved and reloaded.

`make demo` runs it. The expected ids are those of Hugging Face tokenizers and tiktoken, written down here as literals.
"""

import sys
import tempfile
from pathlib import Path

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.pretrained import load

EXPECTED = {
    "gpt2": {
        "Hi 你!": [17250, 220, 19526, 254, 0],
        "internationalization": [45609, 1634],
        "a  b\u00a0c": [64, 220, 275, 1849, 66],
        "<|endoftext|>": [50256],
    },
    "smollm2": {
        "In 2024, café": [788, 216, 34, 32, 34, 36, 28, 37366],
        "a\x04b": [81, 82],
        "<|im_start|>user": [1, 4093],
    },
}
FABLE = "A crow sat on a bough, and the crow had a cheese. The fox saw the crow, and the fox wanted the cheese. "


def main() -> int:
    wrong = 0
    for name, cases in EXPECTED.items():
        tokenizer = load(name)
        print(f"{name}: {tokenizer.vocab_size:,} ids")
        for text, expected in cases.items():
            ids = tokenizer.encode(text)
            wrong += ids != expected
            print(
                f"  {text!a:28} {' '.join(map(str, ids)):34} {'as expected' if ids == expected else f'NOT {expected}'}"
            )
    trained = BPETokenizer.train([FABLE * 3], vocab_size=300, specials=["<|endoftext|>"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fable.json"
        trained.save(path)
        same = BPETokenizer.load(path).encode(FABLE) == trained.encode(FABLE)
    wrong += not same
    ids = trained.encode(FABLE)
    first = ", ".join(left + right for left, right in trained.merges[:6])
    print(f"trained on a fable: {len(trained.merges)} merges, the first are {first}")
    print(
        f"  {len(FABLE.encode())} bytes in {len(ids)} tokens; saved, reloaded, {'the same ids' if same else 'OTHER IDS'}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
