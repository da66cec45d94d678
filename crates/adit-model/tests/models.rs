//! The default model against an independent forward pass (`reference/generate.py`), and the store's
//! behaviour when sources are missing. Skipped with a line where no source gives the model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::path::Path;
use std::sync::OnceLock;

use adit_core::{EmbedError, Embedder};
use adit_model::{BertEmbedder, ModelError, ModelFolder, ModelStore, Precision};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    text: String,
    tokens: usize,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/reference.json");
    serde_json::from_slice(&fs_err::read(path).unwrap()).unwrap()
}

fn default_model() -> Option<&'static ModelFolder> {
    static FOLDER: OnceLock<Option<ModelFolder>> = OnceLock::new();
    let fetch = || match ModelStore::open(None).and_then(|store| store.ensure("default", &mut |_| {})) {
        Ok(folder) => Some(folder),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    };
    FOLDER.get_or_init(fetch).as_ref()
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
}

#[test]
fn float32_agrees_with_the_reference() {
    let Some(folder) = default_model() else { return };
    let embedder = BertEmbedder::load(folder, Precision::Float32, 2).unwrap();
    let references = references();
    assert_eq!(references.len(), 50);
    let texts: Vec<&str> = references.iter().map(|reference| reference.text.as_str()).collect();
    let vectors = embedder.embed_documents(&texts).unwrap();
    let mut largest = 0.0_f32;
    for (reference, vector) in references.iter().zip(&vectors) {
        assert_eq!(embedder.tokenizer().count_tokens(&reference.text).unwrap(), reference.tokens);
        assert_eq!(vector.len(), reference.vector.len());
        for (left, right) in vector.iter().zip(&reference.vector) {
            largest = largest.max((left - right).abs());
        }
    }
    println!("f32: largest difference {largest:e}");
    assert!(largest < 1e-4, "largest difference {largest}");
}

#[test]
fn int8_stays_close_to_the_reference() {
    let Some(folder) = default_model() else { return };
    let embedder = BertEmbedder::load(folder, Precision::Int8, 2).unwrap();
    let references = references();
    let texts: Vec<&str> = references.iter().map(|reference| reference.text.as_str()).collect();
    let vectors = embedder.embed_documents(&texts).unwrap();
    let mut cosines: Vec<f64> = references
        .iter()
        .zip(&vectors)
        .map(|(reference, vector)| cosine(vector, &reference.vector))
        .collect();
    cosines.sort_by(f64::total_cmp);
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    println!("int8: mean cosine {mean:.4}, least {:.4}", cosines[0]);
    assert!(mean >= 0.995, "mean cosine {mean}");
    assert!(cosines[0] >= 0.98, "least cosine {}", cosines[0]);
    // A vector must not depend on what it was embedded beside, or how.
    for (text, vector) in texts.iter().zip(&vectors).take(10) {
        assert_eq!(&embedder.embed_query(text).unwrap(), vector);
    }
}

#[test]
fn token_vectors_come_from_the_pass_that_gives_the_vector() {
    let Some(folder) = default_model() else { return };
    for precision in [Precision::Int8, Precision::Float32] {
        let embedder = BertEmbedder::load(folder, precision, 2).unwrap();
        let tokens = embedder.token_embedder().unwrap();
        let references = references();
        let texts: Vec<&str> = references.iter().take(8).map(|one| one.text.as_str()).collect();
        let embedded = tokens.embed_documents_with_tokens(&texts).unwrap();
        for ((one, reference), text) in embedded.iter().zip(&references).zip(&texts) {
            assert_eq!(one.token_vectors.len(), (reference.tokens - 2) * 384, "special tokens are left out");
            for row in one.token_vectors.chunks_exact(384) {
                assert!((cosine(row, row) - 1.0).abs() < 1e-5);
            }
            let alone = tokens.embed_query_with_tokens(text).unwrap();
            match precision {
                Precision::Int8 => assert_eq!(&alone, one),
                Precision::Float32 => {
                    assert!(cosine(&alone.token_vectors[..384], &one.token_vectors[..384]) > 0.9999);
                }
            }
        }
        let vectors: Vec<Vec<f32>> = embedded.into_iter().map(|one| one.vector).collect();
        assert_eq!(vectors, embedder.embed_documents(&texts).unwrap());
        assert!(tokens.embed_query_with_tokens("").unwrap().token_vectors.is_empty());
    }
}

#[test]
fn a_text_above_the_window_is_an_error_and_never_cut() {
    let Some(folder) = default_model() else { return };
    let embedder = BertEmbedder::load(folder, Precision::Int8, 1).unwrap();
    assert_eq!(embedder.description().max_input_tokens, 256);
    assert_eq!(embedder.tokenizer().special_tokens(), 2);
    let fits = "one ".repeat(254);
    let too_long = "one ".repeat(255);
    assert_eq!(embedder.embed_documents(&[&fits]).unwrap().len(), 1);
    let error = embedder.embed_documents(&[&fits, &too_long]).unwrap_err();
    assert_eq!(error, EmbedError::InputTooLong { tokens: 257, limit_tokens: 256 });
    assert!(embedder.embed_documents(&[]).unwrap().is_empty());
}

#[test]
fn token_ranges_cover_the_words_of_the_text() {
    let Some(folder) = default_model() else { return };
    let embedder = BertEmbedder::load(folder, Precision::Int8, 1).unwrap();
    for reference in references() {
        let text = reference.text.as_str();
        let ranges = embedder.tokenizer().token_ranges(text).unwrap();
        assert_eq!(ranges.len() + embedder.tokenizer().special_tokens(), reference.tokens);
        assert!(ranges.windows(2).all(|pair| pair[0].start <= pair[1].start));
        assert!(ranges.iter().all(|range| range.slice(text).is_some_and(|word| !word.is_empty())));
    }
}

#[test]
fn a_damaged_conversion_is_built_again() {
    let Some(folder) = default_model() else { return };
    let root = tempfile::tempdir().unwrap();
    let folder = ModelFolder { converted: Some(root.path().to_owned()), ..folder.clone() };
    let expected = BertEmbedder::load(&folder, Precision::Int8, 1).unwrap().embed_query("pump").unwrap();
    let converted = fs_err::read_dir(root.path()).unwrap().next().unwrap().unwrap().path();
    for (file, damage) in [("weights.data", 1000), ("graph.onnx", 100), ("manifest.json", 10)] {
        let mut bytes = fs_err::read(converted.join(file)).unwrap();
        bytes[damage] ^= 0x40;
        // As a damaged disk would: the file's own bytes, not a new file.
        fs_err::write(converted.join(file), &bytes).unwrap();
        let embedder = BertEmbedder::load(&folder, Precision::Int8, 1).unwrap();
        assert_eq!(embedder.embed_query("pump").unwrap(), expected, "{file}");
        bytes[damage] ^= 0x40;
        assert_eq!(fs_err::read(converted.join(file)).unwrap(), bytes, "{file} was not repaired");
    }
    // Nothing half-written stays behind.
    assert_eq!(fs_err::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_of_the_users_is_used_where_it_lies() {
    let Some(folder) = default_model() else { return };
    let cache = tempfile::tempdir().unwrap();
    let store = ModelStore::open(Some(cache.path().to_owned())).unwrap();
    let named = store.ensure(&format!("mine={}", folder.path.display()), &mut |_| {}).unwrap();
    assert_eq!((named.name.as_str(), &named.weights_sha256), ("mine", &folder.weights_sha256));
    assert_eq!(named.path, folder.path.canonicalize().unwrap());
    assert!(store.list().iter().all(|status| !status.is_cached));
}

#[test]
fn what_is_not_a_model_is_named() {
    let cache = tempfile::tempdir().unwrap();
    let store = ModelStore::open(Some(cache.path().to_owned())).unwrap();
    let unknown = store.ensure("no-such-model", &mut |_| {}).unwrap_err();
    assert!(matches!(unknown, ModelError::UnknownModel { .. }));
    let empty = store.ensure(&format!("mine={}", cache.path().display()), &mut |_| {}).unwrap_err();
    assert!(matches!(empty, ModelError::MissingFile { file, .. } if file == "config.json"));
}
