"""Makes metrics.json: random runs with ties and graded judgments, scored by trec_eval.

Needs `pip install pytrec-eval-terrier`. Run it in this folder: python3 make_metrics.py
"""

import json
import random

import pytrec_eval

random.seed(20261130)
MEASURES = {"ndcg_cut.5,10", "recall.5,25,50,100", "P.5,10", "success.1,5,10", "recip_rank"}

cases = []
for number in range(60):
    documents = [f"d{index}" for index in range(random.choice([4, 12, 40, 160]))]
    judged = random.sample(documents, random.randint(1, len(documents)))
    grades = {document: random.choice([0, 0, 1, 1, 2, 3]) for document in judged}
    # Judgments of documents that no run returns.
    grades[f"unseen{number}"] = random.choice([0, 1, 3])
    if not any(grades.values()):
        grades[judged[0]] = 1
    returned = random.sample(documents, random.randint(1, len(documents)))
    # Quarters are exact in every float type, and few of them make many ties.
    steps = random.choice([2, 8, 1000])
    run = {document: random.randint(0, steps) / 4 for document in returned}
    scores = pytrec_eval.RelevanceEvaluator({"q": grades}, MEASURES).evaluate({"q": run})["q"]
    top_ten = dict(sorted(run.items(), key=lambda item: (item[1], item[0]), reverse=True)[:10])
    cut = pytrec_eval.RelevanceEvaluator({"q": grades}, {"recip_rank"}).evaluate({"q": top_ten})["q"]
    scores["recip_rank_10"] = cut["recip_rank"]
    cases.append({"grades": grades, "run": run, "scores": scores})

with open("metrics.json", "w") as file:
    json.dump(cases, file, sort_keys=True)
    file.write("\n")
