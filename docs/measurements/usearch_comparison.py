"""The int8 graph of adit-vector beside usearch's, over the same vectors in one run.

usage: usearch_comparison.py [VECTORS] [QUERIES] [CLUSTERS]     (needs `pip install usearch numpy`)

Runs the example vector_bench, which prints our table, then builds usearch's index with the same
connectivity and precision and prints the smallest expansion whose recall@10 reaches 0.99.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from usearch.index import Index

DIMENSION = 384
CONNECTIVITY = 16
EXPANSION_ADD = 128
NEIGHBOURS = 100


def main():
    given = sys.argv[1:]
    vectors, queries, clusters = given + ["200000", "200", "500"][len(given) :]
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        command = ["cargo", "run", "--quiet", "--release", "-p", "adit-vector", "--example", "vector_bench"]
        environment = {**os.environ, "ADIT_BENCH_FOLDER": folder}
        subprocess.run([*command, "--", vectors, queries, clusters], cwd=root, env=environment, check=True)
        compare(read(folder, "vectors"), read(folder, "queries"))


def read(folder, name):
    return numpy.fromfile(f"{folder}/{name}.f32", dtype="<f4").reshape(-1, DIMENSION)


def compare(vectors, queries):
    truth = numpy.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    started = time.perf_counter()
    index = Index(
        ndim=DIMENSION,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
    )
    index.add(numpy.arange(len(vectors)), vectors, threads=os.cpu_count())
    print(f"\nusearch: built in {time.perf_counter() - started:.1f} s, {index.memory_usage / len(vectors):.0f} bytes a vector, without float32")
    print("| expansion | p50 ms, k = 100 | p99 ms | recall@10 | after float32 rescoring |")
    print("|---|---|---|---|---|")
    for expansion in [100, 200, 400, 800]:
        index.expansion_search = expansion
        times, found = [], []
        for query in queries:
            started = time.perf_counter()
            keys = index.search(query, NEIGHBOURS, threads=1).keys
            times.append(1e3 * (time.perf_counter() - started))
            found.append(keys)
        plain = recall([keys[:10] for keys in found], truth)
        rescored = [keys[numpy.argsort(-(vectors[keys] @ query))][:10] for keys, query in zip(found, queries)]
        p50, p99 = numpy.percentile(times, [50, 99])
        print(f"| {expansion} | {p50:.3f} | {p99:.3f} | {plain:.4f} | {recall(rescored, truth):.4f} |")
        if recall(rescored, truth) >= 0.99:
            return


def recall(found, truth):
    return numpy.mean([len(set(a.tolist()) & set(b.tolist())) / len(b) for a, b in zip(found, truth)])


main()
