use std::sync::Arc;

use adit_core::{EmbedError, Embedder, RerankError, Reranker};
use adit_provider::{
    EmbeddingKind, EmbeddingSettings, RerankingKind, RerankingSettings, open_embedder, open_reranker,
};
use adit_testkit::{ScriptedResponse, ScriptedServer};
use serde_json::{Value, json};

use crate::support::{Recorder, context};

fn embedder(server: &ScriptedServer, extra: &str) -> (Arc<dyn Embedder>, Arc<Recorder>) {
    let text = format!(
        "model = 'm'\ndimension = 2\nmax_input_tokens = 40\n{extra}\n[endpoint]\nbase_url = '{}/v1'\nfirst_pause_ms = 1",
        server.address()
    );
    let settings: EmbeddingSettings = toml::from_str(&text).unwrap();
    let recorder = Arc::new(Recorder::default());
    (open_embedder(&settings, context(&recorder)).unwrap(), recorder)
}

fn reranker(server: &ScriptedServer, extra: &str) -> (Arc<dyn Reranker>, Arc<Recorder>) {
    let text =
        format!("model = 'm'\n{extra}\n[endpoint]\nbase_url = '{}/v1'\nfirst_pause_ms = 1", server.address());
    let settings: RerankingSettings = toml::from_str(&text).unwrap();
    let recorder = Arc::new(Recorder::default());
    (open_reranker(&settings, context(&recorder)).unwrap(), recorder)
}

fn vectors(rows: &[(usize, [f64; 2])]) -> ScriptedResponse {
    let data: Vec<Value> =
        rows.iter().map(|(index, row)| json!({"index": index, "embedding": row})).collect();
    ScriptedResponse::json(&json!({"data": data, "usage": {"total_tokens": 7}}))
}

#[test]
fn each_provider_is_asked_in_its_own_shape() {
    let cases = [
        (
            "open_ai",
            "/v1/embeddings",
            json!({"model": "m", "input": ["a"], "encoding_format": "float", "dimensions": 2}),
            Value::Null,
        ),
        (
            "voyage",
            "/v1/embeddings",
            json!({"model": "m", "input": ["a"], "input_type": "document", "truncation": false, "output_dimension": 2}),
            json!({"input_type": "query"}),
        ),
        (
            "cohere",
            "/v1/embed",
            json!({"model": "m", "texts": ["a"], "input_type": "search_document", "embedding_types": ["float"], "truncate": "NONE", "output_dimension": 2}),
            json!({"input_type": "search_query"}),
        ),
        (
            "jina",
            "/v1/embeddings",
            json!({"model": "m", "input": ["a"], "task": "retrieval.passage", "truncate": false, "dimensions": 2}),
            json!({"task": "retrieval.query"}),
        ),
    ];
    for (provider, path, body, of_query) in cases {
        let server = ScriptedServer::start();
        for _ in 0..2 {
            server.answer(path, if provider == "cohere" {
                ScriptedResponse::json(&json!({"embeddings": {"float": [[3.0, 4.0]]}, "meta": {"billed_units": {"input_tokens": 7}}}))
            } else {
                vectors(&[(0, [3.0, 4.0])])
            });
        }
        let (embedder, recorder) =
            embedder(&server, &format!("provider = '{provider}'\nasks_for_dimension = true"));
        assert_eq!(embedder.embed_documents(&["a"]).unwrap(), [[0.6, 0.8]], "{provider}");
        assert_eq!(embedder.embed_query("a").unwrap(), [0.6, 0.8]);
        let received = server.received();
        assert_eq!(received[0].json(), body);
        let mut expected = body;
        if let (Some(expected), Some(changed)) = (expected.as_object_mut(), of_query.as_object()) {
            expected.extend(changed.clone());
        }
        assert_eq!(received[1].json(), expected);
        let booked = recorder.usage.lock().unwrap();
        assert!(booked.iter().all(|record| record.usage.embedded_tokens == 7 && record.counted_by_provider));
    }
}

#[test]
fn vectors_are_put_in_order_and_wrong_ones_refused() {
    let server = ScriptedServer::start();
    let path = "/v1/embeddings";
    server.answer(path, vectors(&[(1, [0.0, 2.0]), (0, [5.0, 0.0])]));
    let (embedder, _) = embedder(&server, "provider = 'open_ai'");
    assert_eq!(embedder.embed_documents(&["a", "b"]).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    for wrong in [
        vectors(&[(0, [1.0, 0.0])]),
        vectors(&[(0, [1.0, 0.0]), (0, [1.0, 0.0])]),
        vectors(&[(0, [1.0, 0.0]), (2, [1.0, 0.0])]),
        vectors(&[(0, [1.0, 0.0]), (1, [0.0, 0.0])]),
        ScriptedResponse::json(&json!({"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]})),
        ScriptedResponse::json(&json!({"data": [{"embedding": ["x", "y"]}, {"embedding": [1.0, 1.0]}]})),
        ScriptedResponse::json(&json!({})),
    ] {
        server.answer(path, wrong.clone());
        let outcome = embedder.embed_documents(&["a", "b"]);
        assert!(matches!(outcome, Err(EmbedError::UnreadableAnswer { .. })), "{wrong:?} {outcome:?}");
    }
}

#[test]
fn a_batch_that_is_too_large_is_halved_and_a_text_that_is_named() {
    let server = ScriptedServer::start();
    for count in 1..=4_usize {
        for _ in 0..8 {
            let response = if count > 2 {
                ScriptedResponse::status(413, "")
            } else {
                vectors(&(0..count).map(|index| (index, [1.0, 0.0])).collect::<Vec<_>>())
            };
            server.answer_when(
                move |request| {
                    let body = request.json();
                    let input = body["input"].as_array().unwrap().clone();
                    input.len() == count && !input.contains(&json!("huge"))
                },
                response,
            );
        }
    }
    for _ in 0..3 {
        server.answer_when(
            |request| request.json()["input"].as_array().unwrap().contains(&json!("huge")),
            ScriptedResponse::status(413, ""),
        );
    }
    let (embedder, _) = embedder(&server, "provider = 'open_ai'\nbatch_texts = 4");
    assert_eq!(embedder.embed_documents(&["a", "b", "c", "d", "e"]).unwrap().len(), 5);
    let sizes: Vec<usize> =
        server.received().iter().map(|request| request.json()["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [4, 2, 2, 1]);
    let error = embedder.embed_documents(&["a", "b", "c", "huge"]).unwrap_err();
    assert!(
        matches!(&error, EmbedError::Unreachable { retryable: false, detail } if detail.starts_with("text 3 of 4")),
        "{error}"
    );
}

#[test]
fn a_text_beyond_the_window_is_refused_before_it_is_sent() {
    let server = ScriptedServer::start();
    let (embedder, _) = embedder(&server, "provider = 'voyage'");
    let error = embedder.embed_documents(&["short", &"x".repeat(39)]).unwrap_err();
    assert_eq!(error, EmbedError::InputTooLong { tokens: 41, limit_tokens: 40 });
    assert!(server.received().is_empty());
}

#[test]
fn rerankers_are_asked_in_their_own_shapes_and_their_scores_put_in_order() {
    let results = json!([{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.25}]);
    for (provider, body, answer) in [
        (
            "cohere",
            json!({"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2}),
            json!({"results": results}),
        ),
        (
            "voyage",
            json!({"model": "m", "query": "q", "documents": ["a", "b"], "top_k": 2, "truncation": false, "return_documents": false}),
            json!({"data": results, "usage": {"total_tokens": 9}}),
        ),
        (
            "jina",
            json!({"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2, "return_documents": false}),
            json!({"results": results, "usage": {"total_tokens": 9}}),
        ),
    ] {
        let server = ScriptedServer::start();
        server.answer("/v1/rerank", ScriptedResponse::status(503, ""));
        server.answer("/v1/rerank", ScriptedResponse::json(&answer));
        let (reranker, recorder) = reranker(&server, &format!("provider = '{provider}'"));
        assert_eq!(reranker.score("q", &["a", "b"]).unwrap(), [0.25, 0.9]);
        assert_eq!(server.received()[1].json(), body, "{provider}");
        let booked = recorder.usage.lock().unwrap();
        assert_eq!((booked.len(), booked[0].counted_by_provider), (1, provider != "cohere"));
        assert_eq!(reranker.score("q", &[]).unwrap(), Vec::<f32>::new());
    }
}

#[test]
fn a_reranker_that_leaves_a_passage_out_is_refused() {
    let server = ScriptedServer::start();
    for results in [
        json!([]),
        json!([{"index": 0, "relevance_score": 1.0}]),
        json!([{"index": 5, "relevance_score": 1.0}]),
        json!("x"),
    ] {
        server.answer("/v1/rerank", ScriptedResponse::json(&json!({"results": results})));
    }
    let (reranker, _) = reranker(&server, "provider = 'jina'");
    for _ in 0..4 {
        assert!(matches!(reranker.score("q", &["a", "b"]), Err(RerankError::UnreadableAnswer { .. })));
    }
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let good = "provider = 'cohere'\nmodel = 'm'\ndimension = 2\nmax_input_tokens = 4\n";
    let settings: EmbeddingSettings = toml::from_str(good).unwrap();
    assert_eq!(settings.provider, EmbeddingKind::Cohere);
    let recorder = Arc::new(Recorder::default());
    for wrong in [
        EmbeddingSettings { dimension: 0, ..settings.clone() },
        EmbeddingSettings { query_template: "no place".to_owned(), ..settings.clone() },
        EmbeddingSettings { model: " ".to_owned(), ..settings },
    ] {
        assert!(open_embedder(&wrong, context(&recorder)).is_err(), "{wrong:?}");
    }
    let settings: RerankingSettings = toml::from_str("provider = 'jina'\nmodel = 'm'").unwrap();
    assert_eq!(settings.provider, RerankingKind::Jina);
    let wrong = RerankingSettings { batch_passages: 0, ..settings };
    assert!(open_reranker(&wrong, context(&recorder)).is_err());
}
