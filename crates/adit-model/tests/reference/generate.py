"""Writes reference.json: 50 texts of our own and their vectors by numpy.

An independent forward pass in float64 from the published safetensors, with the tokenizer of the
`tokenizers` package: no code is shared with the crate. Usage:

    pip install numpy safetensors tokenizers
    python generate.py MODEL_FOLDER
"""

import json
import math
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

WINDOW_TOKENS = 256

ENGLISH = [
    "Employees may carry over five days of annual leave until the end of March.",
    "The pump stops by itself when the pressure falls below two bar.",
    "How do I reset a forgotten password?",
    "A violin and a cello differ in size, range and the way they are held.",
    "Rain is expected in the north, while the south stays dry and windy.",
    "She sold the boat, bought a bicycle and never regretted it.",
    "The board approved the budget for the next financial year with two votes against.",
    "Do not open the housing while the fan is turning.",
    "Interest is calculated daily and credited at the end of every quarter.",
    "The museum is closed on Mondays, except on public holidays.",
    "why is the sky blue",
    "Invoice 2024-0815 was paid twice; please refund the second payment.",
    "NASA's rover landed at 3:55 p.m. EST, didn't it?",
    "  leading   and trailing   spaces\tand\ttabs \n",
]
OTHER_LANGUAGES = [
    "Die Kündigungsfrist beträgt drei Monate zum Ende eines Quartals.",
    "Wie beantrage ich Elternzeit, und wer muss den Antrag unterschreiben?",
    "Der Straßenübergang wird wegen Bauarbeiten gesperrt.",
    "Le contrat prend fin à l'échéance, sans préavis supplémentaire.",
    "¿Dónde puedo encontrar el manual de la impresora?",
    "请在三月底之前提交年度报告。",
    "如何重置忘记的密码？",
    "今日は会議が二つあります。",
    "Отпуск согласуется с руководителем отдела.",
    "موعد الاجتماع القادم يوم الثلاثاء.",
    "รายงานประจำปีต้องส่งก่อนสิ้นเดือน",
    "연차 휴가는 다음 해로 이월할 수 있습니다.",
]
CODE = [
    "fn add(left: i32, right: i32) -> i32 { left + right }",
    "for (int i = 0; i < n; ++i) { sum += values[i]; }",
    "SELECT name, COUNT(*) FROM orders WHERE total > 100 GROUP BY name;",
    "def area(radius):\n    return 3.14159 * radius ** 2\n",
    "{\"port\": 8080, \"hosts\": [\"alpha\", \"beta\"], \"verbose\": false}",
    "git checkout -b feature/retry-policy && cargo test --quiet",
    "try { connect(); } catch (TimeoutException e) { log.warn(\"late\", e); }",
]
IDENTIFIERS = [
    "ERR_4021",
    "R-17",
    "v3.2.1-rc.4+build.77",
    "src/store/hub.rs:112",
    "user_id, sessionToken, MAX_RETRY_COUNT, kebab-case-name",
    "192.168.0.1 and fe80::1",
    "0xDEADBEEF 3.1e-7 1,234,567.89",
]
ODD = [
    "",
    " ",
    "a",
    "?!",
    "🙂",
    "Ship it 🚀🚀 — great work, everyone 👏🏽",
    "e\u0301clair, naïve, co\u00adoperate, zero\u200bwidth",
]
PARAGRAPH = (
    "The workshop keeps three machines for cutting and two for polishing. Each morning the foreman checks the oil, "
    "the belts and the emergency switches, and writes what he found into the green book. A machine that fails the "
    "check is marked with a red card and stays off until a mechanic has signed the repair. "
)


def long_text(tokenizer, tokens):
    """Words of the paragraph, as many as give exactly `tokens` tokens with the special ones."""
    words, text = (PARAGRAPH * 10).split(), ""
    for word in words:
        longer = f"{text} {word}".strip()
        if len(tokenizer.encode(longer).ids) > tokens:
            break
        text = longer
    while len(tokenizer.encode(text).ids) < tokens:
        text += " a"
    return text


def embed(weights, config, ids):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    size = hidden // heads
    tensor = lambda name: weights[name].astype(np.float64)
    linear = lambda name, x: x @ tensor(f"{name}.weight").T + tensor(f"{name}.bias")
    erf = np.vectorize(math.erf)

    def normalise(name, x):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance + config["layer_norm_eps"])
        return scaled * tensor(f"{name}.weight") + tensor(f"{name}.bias")

    x = (
        tensor("embeddings.word_embeddings.weight")[ids]
        + tensor("embeddings.position_embeddings.weight")[: len(ids)]
        + tensor("embeddings.token_type_embeddings.weight")[0]
    )
    x = normalise("embeddings.LayerNorm", x)
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        split = lambda part: linear(f"{name}.attention.self.{part}", x).reshape(-1, heads, size).swapaxes(0, 1)
        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.swapaxes(1, 2) / math.sqrt(size)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        context = (shares @ value).swapaxes(0, 1).reshape(-1, hidden)
        x = normalise(f"{name}.attention.output.LayerNorm", x + linear(f"{name}.attention.output.dense", context))
        inner = linear(f"{name}.intermediate.dense", x)
        inner = inner * 0.5 * (1.0 + erf(inner / math.sqrt(2.0)))
        x = normalise(f"{name}.output.LayerNorm", x + linear(f"{name}.output.dense", inner))
    vector = x.mean(0)
    return vector / np.linalg.norm(vector)


def main():
    folder = pathlib.Path(sys.argv[1])
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = ENGLISH + OTHER_LANGUAGES + CODE + IDENTIFIERS + ODD
    texts += [long_text(tokenizer, WINDOW_TOKENS), long_text(tokenizer, 128), PARAGRAPH]
    assert len(texts) == len(set(texts)) == 50, len(texts)
    rows = []
    for text in texts:
        ids = tokenizer.encode(text).ids
        assert len(ids) <= WINDOW_TOKENS
        vector = [round(float(value), 6) for value in embed(weights, config, ids)]
        rows.append({"text": text, "tokens": len(ids), "vector": vector})
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=True) for row in rows)
    path = pathlib.Path(__file__).with_name("reference.json")
    path.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
