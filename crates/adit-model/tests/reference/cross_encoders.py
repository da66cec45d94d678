"""Writes cross_encoders.json: tiny cross-encoders of every family and what `transformers` scores with them.

No weights are kept: a tensor's values follow from its name and place (`values` below, and `tensor_values` in
tests/cross_encoders.rs), so that the test makes the same models. Made with Python 3.11, torch 2.15,
transformers 5.24, tokenizers as transformers wants it:

    python -m venv VENV && VENV/bin/pip install torch transformers
    VENV/bin/python cross_encoders.py > cross_encoders.json
"""

import json
import math

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    ModernBertConfig,
    ModernBertForSequenceClassification,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

SENTENCES = [
    "The boiler must be inspected every twelve months by a licensed engineer.",
    "Refunds are paid within fourteen days of the request, less the postage.",
    "Trees along the river were cut in spring and the bank was secured with stones.",
    "Error 4021 means that the token has expired; sign in again.",
    "Wie viele Tage Urlaub bekommt eine neue Mitarbeiterin im ersten Jahr?",
    "A kiln may be fired for at most fourteen hours a day, then it cools for two days.",
]
QUESTIONS = ["How long may the kiln be fired?", "refund days", "Was bedeutet Error 4021?"]
PASSAGES = [
    SENTENCES[5],
    SENTENCES[1],
    SENTENCES[3],
    "stones",
    " ".join(SENTENCES[:3]),
    # Longer than every window.
    " ".join(SENTENCES * 3),
]
POSITIONS = 96


def values(name, shape, scale, offset):
    """SplitMix64 over the FNV-1a hash of the name, 24 bits a value, in -0.5 .. 0.5."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x100000001B3) % 2**64
    count = math.prod(shape)
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    unit = (state >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5
    return torch.tensor((offset + scale * unit).astype(np.float32)).reshape(shape)


def scale_and_offset(name, shape):
    lowered = name.lower()
    if "norm" in lowered and name.endswith("weight"):
        return 0.4, 1.0
    if len(shape) == 1:
        return 0.4, 0.0
    if "embeddings" in name:
        return 2.0, 0.0
    return 6.0 / math.sqrt(shape[1]), 0.0


def word_piece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(SENTENCES, trainers.WordPieceTrainer(vocab_size=180, special_tokens=special))
    ids = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids
    )
    return tokenizer


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        SENTENCES, trainers.UnigramTrainer(vocab_size=160, special_tokens=special, unk_token="<unk>")
    )
    ids = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ids
    )
    return tokenizer


def byte_pairs():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["[CLS]", "[SEP]", "[PAD]"]
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=330, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        ),
    )
    ids = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ids
    )
    return tokenizer


def labels(count):
    return {"id2label": {i: f"LABEL_{i}" for i in range(count)}, "label2id": {f"LABEL_{i}": i for i in range(count)}}


BERT = dict(
    hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
    max_position_embeddings=POSITIONS,
)
MODERN = dict(
    hidden_size=32, num_hidden_layers=5, num_attention_heads=2, intermediate_size=48, local_attention=8,
    max_position_embeddings=POSITIONS, pad_token_id=2, eos_token_id=1, bos_token_id=0, cls_token_id=0,
    sep_token_id=1,
)


def cases():
    bert, xlm, modern = word_piece(), unigram(), byte_pairs()
    sizes = {id(one): one.get_vocab_size() for one in (bert, xlm, modern)}
    yield "bert", bert, BertForSequenceClassification, BertConfig(vocab_size=sizes[id(bert)], **BERT, **labels(1))
    yield "bert_softmax", bert, BertForSequenceClassification, BertConfig(vocab_size=sizes[id(bert)], **BERT, **labels(2))
    yield "bert_sigmoid", bert, BertForSequenceClassification, BertConfig(
        vocab_size=sizes[id(bert)], **BERT, **labels(2), problem_type="multi_label_classification"
    )
    yield "xlm_roberta", xlm, XLMRobertaForSequenceClassification, XLMRobertaConfig(
        vocab_size=sizes[id(xlm)], type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        layer_norm_eps=1e-5, **{**BERT, "max_position_embeddings": POSITIONS + 2}, **labels(1)
    )
    yield "modern_bert", modern, ModernBertForSequenceClassification, ModernBertConfig(
        vocab_size=sizes[id(modern)], **MODERN, **labels(1)
    )
    yield "modern_bert_mean_biased", modern, ModernBertForSequenceClassification, ModernBertConfig(
        vocab_size=sizes[id(modern)], **MODERN, **labels(1), classifier_pooling="mean", norm_bias=True,
        attention_bias=True, mlp_bias=True, classifier_bias=True
    )


def score(logits, config):
    logits = logits.double()
    if config.num_labels == 1:
        return logits[0].item()
    if config.problem_type == "multi_label_classification":
        return torch.logit(torch.sigmoid(logits[1])).item()
    return torch.logit(torch.softmax(logits, 0)[1]).item()


def score_pair(model, tokenizer, question, passage):
    """The best of the windows that the tokenizer's own `stride` makes of a passage that is too long."""
    asked = len(tokenizer.encode(question, add_special_tokens=False).ids)
    room = POSITIONS - tokenizer.num_special_tokens_to_add(True) - asked
    tokenizer.enable_truncation(POSITIONS, stride=room // 4, strategy="only_second")
    first = tokenizer.encode(question, passage)
    tokenizer.no_truncation()
    windows = [first, *first.overflowing]
    scores = []
    for window in windows:
        inputs = {"input_ids": torch.tensor([window.ids]), "attention_mask": torch.ones(1, len(window.ids), dtype=torch.long)}
        if isinstance(model, BertForSequenceClassification):
            inputs["token_type_ids"] = torch.tensor([window.type_ids])
        with torch.no_grad():
            scores.append(score(model(**inputs).logits[0], model.config))
    return len(windows), max(scores)


def describe(name, tokenizer, kind, config):
    config._attn_implementation = "eager"
    model = kind(config).eval()
    state = model.state_dict()
    tensors = []
    for tensor_name, tensor in state.items():
        if not tensor.is_floating_point() or "inv_freq" in tensor_name:
            continue
        scale, offset = scale_and_offset(tensor_name, tensor.shape)
        state[tensor_name].copy_(values(tensor_name, tensor.shape, scale, offset))
        tensors.append({"name": tensor_name, "shape": list(tensor.shape), "scale": scale, "offset": offset})
    pairs = []
    for question in QUESTIONS:
        for passage in PASSAGES:
            windows, best = score_pair(model, tokenizer, question, passage)
            pairs.append({"question": question, "passage": passage, "windows": windows, "score": best})
    saved = json.loads(config.to_json_string(use_diff=False))
    return {
        "name": name, "config": saved, "tokenizer": json.loads(tokenizer.to_str()), "tensors": tensors, "pairs": pairs,
    }


print(json.dumps([describe(*case) for case in cases()], ensure_ascii=False))
