"""Makes statistics.json and student.json: paired tests and intervals of random values, by scipy and by trying everything.

Needs `pip install scipy numpy`. Run it in this folder: python3 make_statistics.py

`left` and `right` look like metrics of single queries: recall (few levels, many ties), nDCG (any value), and
plain normal numbers. `t`, `p_t` are scipy.stats.ttest_rel(right, left). `p_exact` is
scipy.stats.permutation_test over all 2^n assignments of signs, to n = 12; for n = 20 all 2^20 are counted
here. `intervals` are of exact bootstrap distributions (all n^n draws) where n is 5, and of 400 000 draws by
scipy.stats.bootstrap where n is larger; `standard_error` says how far a bootstrap of fewer draws may stray.
"""

import itertools
import json

import numpy
from scipy import stats

random = numpy.random.default_rng(20261130)


def mean_difference(left, right, axis):
    return numpy.mean(right, axis=axis) - numpy.mean(left, axis=axis)


def values(kind, count):
    if kind == "recall":
        return random.integers(0, 5, (2, count)) / 4
    if kind == "ndcg":
        left = random.random(count)
        return numpy.array([left, numpy.clip(left + random.normal(0.05, 0.1, count), 0, 1)])
    return random.normal([[0.0], [random.normal(0, 2)]], 1.0, (2, count))


def exact_by_counting(left, right):
    differences = right - left
    sums = numpy.zeros(1)
    for difference in differences:
        sums = numpy.concatenate([sums + difference, sums - difference])
    observed = abs(differences.sum()) - 1e-12 * numpy.abs(differences).sum()
    return float((numpy.abs(sums) >= observed).mean())


def paired_case(kind, count):
    left, right = values(kind, count)
    while numpy.ptp(right - left) < 1e-9:
        # Equal differences leave nothing to test.
        left, right = values(kind, count)
    test = stats.ttest_rel(right, left)
    case = {"left": left.tolist(), "right": right.tolist(), "t": float(test.statistic),
            "degrees_of_freedom": int(test.df), "p_t": float(test.pvalue)}
    if count <= 12:
        found = stats.permutation_test((left, right), mean_difference, permutation_type="samples",
                                       vectorized=True, n_resamples=numpy.inf, alternative="two-sided")
        case["p_exact"] = float(found.pvalue)
        assert abs(case["p_exact"] - exact_by_counting(left, right)) < 1e-12
    elif count == 20:
        case["p_exact"] = exact_by_counting(left, right)
    return case


def interval_case(sample, confidence):
    if len(sample) == 5:
        means = numpy.array([numpy.mean(draw) for draw in itertools.product(sample, repeat=5)])
        tail = (1 - confidence) / 2 * 100
        low, high = numpy.percentile(means, [tail, 100 - tail])
    else:
        found = stats.bootstrap((sample,), numpy.mean, method="percentile", n_resamples=400_000,
                                confidence_level=confidence, batch=10_000, rng=random)
        low, high = found.confidence_interval
    return {"values": list(map(float, sample)), "confidence": confidence, "mean": float(numpy.mean(sample)),
            "low": float(low), "high": float(high),
            "standard_error": float(numpy.std(sample) / numpy.sqrt(len(sample)))}


pairs = [paired_case(kind, count) for kind in ["recall", "ndcg", "normal"] for count in [2, 3, 5, 8, 12, 20, 200]]
intervals = [interval_case(sample, confidence)
             for sample in [random.random(5), random.random(40), random.integers(0, 2, 300) * 1.0]
             for confidence in [0.8, 0.95]]
# The distribution itself, from its middle to its far tails: t, degrees of freedom, two-sided p.
student = [[t, degrees, float(2 * stats.t.sf(t, degrees))]
           for degrees in [1, 2, 3, 7, 30, 99, 1000, 49999, 1000000]
           for t in [1e-9, 0.01, 0.5, 1.0, 1.96, 4.0, 12.0, 30.0]]


def write(name, value):
    with open(name, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


write("statistics.json", {"pairs": pairs, "intervals": intervals})
write("student.json", student)
