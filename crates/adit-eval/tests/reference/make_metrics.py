"""Makes metrics.json and means.json: random runs with ties and graded judgments, scored by trec_eval.

Needs `pip install pytrec-eval-terrier ir-measures`. Run it in this folder: python3 make_metrics.py

metrics.json is a list of single queries: grades, run and scores by the name of our metric. Scores come from
trec_eval through pytrec_eval, and ir-measures must agree where it goes by trec_eval's rules (not for the
reciprocal rank with a cut-off and not for the exponential gain). trec_eval has no exponential gain of its
own; it is given 2^grade - 1 as the grade instead. The first cases are small and full
of ties, the later ones up to 1200 places deep.

means.json is three sets of queries, of which the run misses some: value of every query and mean over the
queries with something relevant, by ir-measures.
"""

import json
import random
import struct

import ir_measures
import pytrec_eval

random.seed(20261130)
CUTOFFS = [1, 3, 5, 10, 25, 50, 100]
TREC_EVAL = {"recall": "recall", "precision": "P", "hit_rate": "success", "ndcg": "ndcg_cut"}
IR_MEASURES = {
    "recall": ir_measures.R, "precision": ir_measures.P, "hit_rate": ir_measures.Success,
    "ndcg": ir_measures.nDCG,
}


def trec_eval(grades, run, measures):
    return pytrec_eval.RelevanceEvaluator({"q": grades}, measures).evaluate({"q": run})["q"]


def as_float32(score):
    return struct.unpack("f", struct.pack("f", score))[0]


def scores_of(grades, run):
    cuts = ",".join(str(cutoff) for cutoff in CUTOFFS)
    names = {f"{name}.{cuts}" for name in TREC_EVAL.values()} | {"map", "Rprec"}
    found = trec_eval(grades, run, names)
    scores = {
        f"{ours}@{cutoff}": found[f"{theirs}_{cutoff}"]
        for ours, theirs in TREC_EVAL.items() for cutoff in CUTOFFS
    }
    scores |= {"map": found["map"], "r_precision": found["Rprec"]}
    gains = {document: 2 ** max(grade, 0) - 1 for document, grade in grades.items()}
    exponential = trec_eval(gains, run, {f"ndcg_cut.{cuts}"})
    order = sorted(run, key=lambda document: (as_float32(run[document]), document), reverse=True)
    for cutoff in CUTOFFS:
        scores[f"ndcg_exp@{cutoff}"] = exponential[f"ndcg_cut_{cutoff}"]
        # trec_eval's recip_rank has no cut-off, so the run is cut.
        top = {document: run[document] for document in order[:cutoff]}
        scores[f"mrr@{cutoff}"] = trec_eval(grades, top, {"recip_rank"})["recip_rank"]
    check_with_ir_measures(grades, run, scores)
    return scores


def ir_measure_of(name):
    if name == "map":
        return ir_measures.AP
    if name == "r_precision":
        return ir_measures.Rprec
    metric, cutoff = name.split("@")
    return IR_MEASURES[metric] @ int(cutoff) if metric in IR_MEASURES else None


def check_with_ir_measures(grades, run, scores):
    for name, score in scores.items():
        measure = ir_measure_of(name)
        if measure is not None:
            found = ir_measures.calc_aggregate([measure], {"q": grades}, {"q": run})[measure]
            assert abs(found - score) < 1e-9, (name, found, score)


def random_grades(documents, number, with_negative):
    judged = random.sample(documents, random.randint(1, min(len(documents), 150)))
    scale = [-2, -1, 0, 1, 2, 3] if with_negative else [0, 0, 1, 1, 2, 3]
    grades = {document: random.choice(scale) for document in judged}
    # Judgments of documents that no run returns.
    grades[f"unseen{number}"] = random.choice([0, 1, 3])
    if all(grade <= 0 for grade in grades.values()):
        grades[judged[0]] = 1
    return grades


def random_run(documents):
    returned = random.sample(documents, random.randint(max(1, len(documents) // 2), len(documents)))
    kind = random.choice(["few ties", "many ties", "all equal", "beyond 32 bits", "negative"])
    if kind == "all equal":
        return dict.fromkeys(returned, 0.5)
    if kind == "beyond 32 bits":
        # Half of these differ only in digits that a 32-bit float does not keep.
        return {document: 0.7 + random.choice([1e-12, 2e-12, 1e-3, 2e-3]) for document in returned}
    if kind == "negative":
        return {document: random.randint(-8, 8) / 4 for document in returned}
    steps = 1000 if kind == "few ties" else 4
    return {document: random.randint(0, steps) / 4 for document in returned}


def write(name, value):
    with open(name, "w") as file:
        json.dump(value, file, sort_keys=True, separators=(",", ":"))
        file.write("\n")


cases = []
for number in range(64):
    size = random.choice([2, 4, 12, 40, 160]) if number < 60 else 1200
    documents = [f"d{index}" for index in range(size)]
    grades = random_grades(documents, number, with_negative=number % 2 == 1)
    run = random_run(documents)
    cases.append({"grades": grades, "run": run, "scores": scores_of(grades, run)})
write("metrics.json", cases)

NAMES = ["recall@100", "precision@5", "hit_rate@10", "ndcg@10", "map", "r_precision"]
sets = []
for number in range(3):
    documents = [f"d{index}" for index in range(30)]
    judgments = {f"q{query}": random_grades(documents, query, number == 1) for query in range(20)}
    run = {query: random_run(documents) for query in judgments if random.random() < 0.7}
    run["not judged"] = random_run(documents)
    per_query = {}
    for name in NAMES:
        values = ir_measures.iter_calc([ir_measure_of(name)], judgments, run)
        per_query[name] = {value.query_id: value.value for value in values}
    means = {name: ir_measures.calc_aggregate([ir_measure_of(name)], judgments, run)[ir_measure_of(name)]
             for name in NAMES}
    # trec_eval would count this one; a query that nothing can answer measures no retriever.
    judgments["nothing relevant"] = {"d1": 0, "d2": -1}
    sets.append({"judgments": judgments, "run": run, "per_query": per_query, "means": means})
write("means.json", sets)
