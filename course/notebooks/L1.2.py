# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Byte-level BPE, looked at (L1.2)
#
# How a text becomes ids, and how the merges that decide it are learned. Each cell stands on the one before; change the texts.
#
# In a repo of your own, started with `ol start`, put this first, and the modules that you have written are used in place of the reference's:
#
# ```python
# import sys; sys.path.insert(0, "python")
# ```

# %%
from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.explain import trace_encode, trace_train, view
from tinyllm.tok.pretrained import load

gpt2 = load("gpt2")
gpt2.encode("internationalization")

# %% [markdown]
# ## Tokens
#
# Point at a token to see its id, its bytes and the rank of its merge. A space is shown as ␣. 你 is one character in two tokens: neither
# is text by itself, so its bytes are shown.

# %%
view(gpt2, "Hi 你!")

# %% [markdown]
# SmolLM2 cuts numbers into digits, and has other merges: the same text, other ids. Equal ids have equal colours.

# %%
smollm2 = load("smollm2")
view(smollm2, "In 2024, 2 + 2 was 4 in every café. 🙂")

# %% [markdown]
# ## Rounds
#
# Inside a pre-token, the pair of neighbours with the lowest rank is merged, until no pair left is a merge. Not the first pair, not
# the longest token: the lowest rank.

# %%
trace = trace_encode(gpt2, "internationalization")
for round in trace.parts[0].rounds:
    print(f"{round.rank:6}  {round.left + ' + ' + round.right:18}  {' '.join(round.after)}")

# %% [markdown]
# Other merges were possible on the way and lost a part to a merge with a lower rank:

# %%
for merge in trace.parts[0].never_chosen[:5]:
    print(f"{merge.rank:6}  {merge.left + ' + ' + merge.right:10}  {merge.reason}")

# %% [markdown]
# ## Rank, not position
#
# With (b, c) ranked before (a, b), what is "abc"? And with the one merge (a, a), what is "aaa"? Answer before you run the cell.

# %%
letters = {"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "aa": 5}
print(view(BPETokenizer(letters, [("b", "c"), ("a", "b")]), "abc"))
print(view(BPETokenizer(letters, [("a", "a")]), "aaa"))

# %% [markdown]
# ## Training
#
# The pair that occurs most often becomes the next token. Where pairs tie, the smallest ids win; here (p, ug) wins against (hug, s).

# %%
texts = ["hug", "hug", "pug", "hugs"]
for step in trace_train(texts, vocab_size=259, min_freq=1).steps:
    counts = ", ".join(f"{pair.left}+{pair.right} {pair.count}" for pair in step.pairs)
    print(f"{step.token:4} is {step.id}, from: {counts}")

# %%
tokenizer = BPETokenizer.train(texts, vocab_size=259, min_freq=1)
view(tokenizer, "hugs pug")

# %% [markdown]
# ## Bytes first
#
# Decoding joins the bytes of all tokens and reads them as UTF-8 once. Token by token, a character that lies in two tokens is lost.

# %%
ids = gpt2.encode("你")
print(ids, [gpt2.token_bytes(id) for id in ids])
print(gpt2.decode(ids), [ascii(gpt2.decode([id])) for id in ids])

# %% [markdown]
# More to see: `tok explain --html page.html --live "Hi there"` writes a page that steps through all this, and encodes what you type.
