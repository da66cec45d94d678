"""Makes scifact.json: a run over SciFact, scored by ir-measures.

Needs `pip install ir-measures` and a folder in BEIR's layout: python3 make_scifact.py FOLDER

The run is simple enough to be made again by the test, so that nothing of the data has to be kept: the score
of a document is the number of the query's words that it holds, divided by 3, and the 1000 best stay. It ties
nearly everywhere. Every seventh query of the judged ones, in the order of their ids, is missing.
"""

import json
import re
import sys
from pathlib import Path

import ir_measures
from ir_measures import AP, P, R, RR, Rprec, Success, nDCG

folder = Path(sys.argv[1])
MEASURES = {
    "recall@5": R @ 5, "recall@100": R @ 100, "precision@5": P @ 5, "hit_rate@10": Success @ 10,
    "mrr@1000": RR, "ndcg@10": nDCG @ 10, "ndcg@100": nDCG @ 100, "map": AP, "r_precision": Rprec,
}


def lines(name):
    with open(folder / name) as file:
        return [json.loads(line) for line in file]


def words(text):
    return set(re.findall("[a-z0-9]+", text.lower()))


judgments = {}
with open(folder / "qrels/test.tsv") as file:
    for line in list(file)[1:]:
        query, document, grade = line.rstrip("\n").split("\t")
        judgments.setdefault(query, {})[document] = int(grade)
documents = {line["_id"]: words(line.get("title", "") + " " + line["text"]) for line in lines("corpus.jsonl")}
queries = {line["_id"]: words(line["text"]) for line in lines("queries.jsonl") if line["_id"] in judgments}
run = {}
for number, query in enumerate(sorted(queries)):
    if number % 7 == 6:
        continue
    shared = {document: len(queries[query] & held) / 3 for document, held in documents.items()}
    best = sorted(shared, key=lambda document: (shared[document], document), reverse=True)[:1000]
    run[query] = {document: shared[document] for document in best}
means = ir_measures.calc_aggregate(MEASURES.values(), judgments, run)
with open("scifact.json", "w") as file:
    json.dump({name: means[measure] for name, measure in MEASURES.items()}, file, indent=1)
    file.write("\n")
