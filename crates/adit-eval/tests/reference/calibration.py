"""The numbers in tests/calibration_against_scikit_learn.rs. Python 3.11, scikit-learn 1.9:

    python -m venv VENV && VENV/bin/pip install scikit-learn
    VENV/bin/python calibration.py
"""

import numpy as np
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

# As the test makes them: scores repeat, and relevance rises with the score, with exceptions.
scores = np.array([((i * 37) % 100) / 10 - 5 for i in range(60)])
labels = np.array([1 if scores[i] + ((i * 53) % 17) / 2 - 4 > 1.5 else 0 for i in range(60)])
scores = np.round(scores)
asked = np.array([-6, -4.5, -2.2, -1, 0, 0.3, 1.7, 2.5, 3.1, 4.9, 6])

isotonic = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, labels)
print("relevant", labels.sum())
print("isotonic", [repr(float(x)) for x in isotonic.predict(asked)])
logistic = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(scores[:, None], labels)
print("logistic", repr(float(logistic.coef_[0, 0])), repr(float(logistic.intercept_[0])))
slope, intercept = _sigmoid_calibration(scores, labels)
print("platt", -slope, -intercept)
