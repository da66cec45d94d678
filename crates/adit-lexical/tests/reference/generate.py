"""Makes bm25s_lucene.json: pip install bm25s numpy, then run this file.

Documents have fewer than 40 words, where Lucene's one-byte lengths are exact, because bm25s keeps exact
lengths. Words are drawn with falling probability.
"""

import json
import pathlib
import random

import bm25s

random.seed(20261130)
vocabulary = [f"word{number}x" for number in range(120)]
weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
documents = [random.choices(vocabulary, weights, k=random.randint(1, 39)) for _ in range(400)]
cases = []
for k1, b in [(0.9, 0.4), (1.2, 0.75), (2.0, 0.0), (0.5, 1.0)]:
    retriever = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    retriever.index(documents, show_progress=False)
    for _ in range(4):
        query = random.sample(vocabulary, k=random.randint(1, 6))
        scores = retriever.get_scores(query)
        cases.append({"k1": k1, "b": b, "query": " ".join(query), "scores": [round(float(s), 7) for s in scores]})
reference = {"documents": [" ".join(words) for words in documents], "cases": cases}
pathlib.Path(__file__).with_name("bm25s_lucene.json").write_text(json.dumps(reference) + "\n")
