//! Cross-encoders of every family against `transformers` (`reference/cross_encoders.py`), on models whose weights
//! follow from a formula, so that none are kept.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::path::{Path, PathBuf};

use adit_core::{RerankError, Reranker};
use adit_model::{CrossEncoder, ModelFolder, Precision};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    config: serde_json::Value,
    tokenizer: serde_json::Value,
    tensors: Vec<TensorFormula>,
    pairs: Vec<ScoredPair>,
}

#[derive(Deserialize)]
struct TensorFormula {
    name: String,
    shape: Vec<usize>,
    scale: f64,
    offset: f64,
}

#[derive(Deserialize)]
struct ScoredPair {
    question: String,
    passage: String,
    windows: usize,
    score: f64,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/cross_encoders.json");
    serde_json::from_slice(&fs_err::read(path).unwrap()).unwrap()
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap()
}

/// SplitMix64 over the FNV-1a hash of the tensor's name, 24 bits a value.
fn tensor_values(formula: &TensorFormula) -> Vec<u8> {
    let mut seed = 0xCBF2_9CE4_8422_2325_u64;
    for byte in formula.name.bytes() {
        seed = (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    let count: usize = formula.shape.iter().product();
    (1..=count as u64)
        .flat_map(|place| {
            let mut state = seed.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            state ^= state >> 31;
            let unit = (state >> 40) as f64 / f64::from(1 << 24) - 0.5;
            ((formula.offset + formula.scale * unit) as f32).to_le_bytes()
        })
        .collect()
}

/// Writes the model of `case` into a folder of `root`.
fn write_model(root: &Path, case: &Case) -> ModelFolder {
    let path = root.join(&case.name);
    fs_err::create_dir_all(&path).unwrap();
    fs_err::write(path.join("config.json"), case.config.to_string()).unwrap();
    fs_err::write(path.join("tokenizer.json"), case.tokenizer.to_string()).unwrap();
    let values: Vec<Vec<u8>> = case.tensors.iter().map(tensor_values).collect();
    let views = case.tensors.iter().zip(&values).map(|(formula, values)| {
        let view = TensorView::new(Dtype::F32, formula.shape.clone(), values).unwrap();
        (formula.name.clone(), view)
    });
    safetensors::serialize_to_file(views, None, &path.join("model.safetensors")).unwrap();
    folder_of(path, &case.name, root)
}

fn folder_of(path: PathBuf, name: &str, root: &Path) -> ModelFolder {
    // Only tells converted forms apart.
    let weights_sha256 = format!("{:0>64}", name.len());
    ModelFolder {
        name: name.to_owned(),
        path,
        weights_sha256,
        converted: Some(root.join("converted").join(name)),
    }
}

/// Scores of all of the reference's pairs, question by question, so that passages of several lengths meet in
/// one call.
fn scores(encoder: &CrossEncoder, case: &Case) -> Vec<f32> {
    let mut scores = Vec::new();
    for pairs in case.pairs.chunk_by(|left, right| left.question == right.question) {
        let passages: Vec<&str> = pairs.iter().map(|pair| pair.passage.as_str()).collect();
        scores.extend(encoder.score(&pairs[0].question, &passages).unwrap());
    }
    scores
}

#[test]
fn float32_agrees_with_transformers_in_every_family() {
    let root = tempfile::tempdir().unwrap();
    let cases = cases();
    assert_eq!(cases.len(), 6);
    for case in &cases {
        let encoder = CrossEncoder::load(&write_model(root.path(), case), Precision::Float32, 2).unwrap();
        assert_eq!(encoder.description().max_input_tokens, Some(96));
        // A passage that needs windows is among them.
        assert!(case.pairs.iter().any(|pair| pair.windows > 2), "{}", case.name);
        let mut largest = 0.0_f64;
        for (score, pair) in scores(&encoder, case).iter().zip(&case.pairs) {
            largest = largest.max((f64::from(*score) - pair.score).abs());
        }
        println!("{}: largest difference {largest:.1e}", case.name);
        assert!(largest < 1e-4, "{}: largest difference {largest}", case.name);
    }
}

#[test]
fn int8_keeps_the_order_of_the_passages() {
    let root = tempfile::tempdir().unwrap();
    for case in &cases() {
        let encoder = CrossEncoder::load(&write_model(root.path(), case), Precision::Int8, 2).unwrap();
        let scores: Vec<f64> = scores(&encoder, case).into_iter().map(f64::from).collect();
        let exact: Vec<f64> = case.pairs.iter().map(|pair| pair.score).collect();
        let correlation = correlation(&scores, &exact);
        println!("{}: int8 correlates {correlation:.4}", case.name);
        // Random weights magnify rounding more than trained ones do.
        assert!(correlation > 0.98, "{}: {correlation}", case.name);
        // At 8 bits a score does not depend on what it was scored beside.
        let pair = &case.pairs[0];
        assert_eq!(f64::from(encoder.score(&pair.question, &[&pair.passage]).unwrap()[0]), scores[0]);
    }
}

fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (of_left, of_right) = (mean(left), mean(right));
    let pairs = || left.iter().zip(right).map(|(left, right)| (left - of_left, right - of_right));
    let shared: f64 = pairs().map(|(left, right)| left * right).sum();
    let spread: f64 = pairs().map(|(left, _)| left * left).sum::<f64>()
        * pairs().map(|(_, right)| right * right).sum::<f64>();
    shared / spread.sqrt()
}

#[test]
fn a_ready_made_graph_is_run_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let case = case("bert");
    let built = write_model(root.path(), &case);
    let encoder = CrossEncoder::load(&built, Precision::Float32, 1).unwrap();
    // The converted form is an ONNX file with its weights beside it, as exporters write large models.
    let converted =
        fs_err::read_dir(built.converted.as_ref().unwrap()).unwrap().next().unwrap().unwrap().path();
    let path = root.path().join("ready-made");
    fs_err::create_dir_all(&path).unwrap();
    for (from, to) in [
        (converted.join("graph.onnx"), "model.onnx"),
        (converted.join("weights.data"), "weights.data"),
        (built.path.join("config.json"), "config.json"),
        (built.path.join("tokenizer.json"), "tokenizer.json"),
    ] {
        fs_err::copy(from, path.join(to)).unwrap();
    }
    let ready_made =
        CrossEncoder::load(&folder_of(path, "ready-made", root.path()), Precision::Int8, 1).unwrap();
    assert_eq!(ready_made.description().precision, "onnx");
    for (own, built) in scores(&ready_made, &case).iter().zip(scores(&encoder, &case)) {
        assert!((own - built).abs() < 1e-4, "{own} {built}");
    }
}

#[test]
fn a_question_that_fills_the_window_is_refused_and_never_cut() {
    let root = tempfile::tempdir().unwrap();
    let case = case("bert");
    let encoder = CrossEncoder::load(&write_model(root.path(), &case), Precision::Float32, 1).unwrap();
    let passage = "A kiln is fired. ".repeat(40);
    let question = "How long may the kiln be fired? ".repeat(8);
    let error = encoder.score(&question, &[&passage]).unwrap_err();
    assert!(matches!(error, RerankError::QueryTooLong { limit_tokens: 96, .. }), "{error}");
    assert!(encoder.score("kiln", &[]).unwrap().is_empty());
}

#[test]
fn what_is_no_cross_encoder_is_said() {
    let root = tempfile::tempdir().unwrap();
    let mut other = case("bert");
    other.config["model_type"] = "deberta-v2".into();
    let error = CrossEncoder::load(&write_model(root.path(), &other), Precision::Float32, 1).err().unwrap();
    assert!(error.to_string().contains("deberta-v2"), "{error}");
    let mut headless = case("bert");
    headless.name = "headless".to_owned();
    headless.tensors.retain(|tensor| !tensor.name.starts_with("classifier"));
    let error =
        CrossEncoder::load(&write_model(root.path(), &headless), Precision::Float32, 1).err().unwrap();
    assert!(error.to_string().contains("classifier.weight"), "{error}");
}
