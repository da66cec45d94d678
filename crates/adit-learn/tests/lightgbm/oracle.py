"""Figures of LightGBM's lambdarank on data that the test makes by the same integer arithmetic.

pip install lightgbm==4.7.0 numpy; python lightgbm_oracle.py
"""
import lightgbm
import numpy

QUESTIONS, ROWS = 60, 20


def mix(value):
    """The finaliser of splitmix64, kept to 64 bits."""
    mask = (1 << 64) - 1
    value = (value + 0x9E3779B97F4A7C15) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return value ^ (value >> 31)


def question(number):
    rows, grades = [], []
    for row in range(ROWS):
        values = [mix((number * ROWS + row) * 4 + feature) % 64 for feature in range(3)]
        noise = mix((number * ROWS + row) * 4 + 3) % 40
        hidden = values[0] + 2 * (values[1] % 16) + noise
        rows.append(values)
        grades.append(2 if hidden > 105 else 1 if hidden > 85 else 0)
    return rows, grades


def ndcg(grades, scores, k=10):
    order = sorted(range(len(grades)), key=lambda row: (-scores[row], row))
    def total(list_):
        return sum((2 ** g - 1) / numpy.log2(i + 2) for i, g in enumerate(list_[:k]))
    ideal = total(sorted(grades, reverse=True))
    return None if ideal == 0 else total([grades[row] for row in order]) / ideal


def mean_ndcg(questions, predict):
    values = [ndcg(grades, predict(rows)) for rows, grades in questions]
    values = [value for value in values if value is not None]
    return sum(values) / len(values)


questions = [question(number) for number in range(QUESTIONS)]
train, test = questions[:40], questions[40:]
x = numpy.array([row for rows, _ in train for row in rows], dtype=float)
y = numpy.array([grade for _, grades in train for grade in grades])
data = lightgbm.Dataset(x, y, group=[ROWS] * len(train), params={"min_data_in_bin": 1, "verbose": -1})
# LightGBM estimates the rows of a leaf from its second derivatives, so that a least number of rows means
# something else there; the least sum of second derivatives means the same.
parameters = {
    "objective": "lambdarank", "num_leaves": 8, "learning_rate": 0.05, "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.5, "lambda_l2": 1.0, "lambdarank_truncation_level": 20,
    "verbose": -1, "deterministic": True, "num_threads": 1, "force_row_wise": True,
}
model = lightgbm.train(parameters, data, num_boost_round=100)
predict = lambda rows: model.predict(numpy.array(rows, dtype=float))
print("train ndcg@10", mean_ndcg(train, predict))
print("test ndcg@10", mean_ndcg(test, predict))
one = lightgbm.train(parameters, data, num_boost_round=1)
for number in (0, 1):
    rows = questions[number][0]
    print("first tree, question", number, [round(float(v), 9) for v in one.predict(numpy.array(rows, dtype=float))][:6])
print("first split", one.dump_model()["tree_info"][0]["tree_structure"]["split_feature"], one.dump_model()["tree_info"][0]["tree_structure"]["threshold"])
print("100 trees, question 40", [round(float(v), 6) for v in predict(questions[40][0])][:6])
print("rows of grades", numpy.bincount(y))
print("first rows", questions[0][0][:2], questions[0][1][:8])
