//! `adit ask` with a language model behind a server of this machine, scripted.

use adit_testkit::{ScriptedResponse, ScriptedServer, StreamEnd};
use serde_json::{Value, json};

use crate::bench::Bench;

const PATH: &str = "/v1/chat/completions";

fn settings(address: &str) -> String {
    format!(
        "[language_model]\nprovider = \"open_ai\"\nmodel = \"scripted\"\n\
         [language_model.endpoint]\nbase_url = \"{address}/v1\"\nmax_attempts = 1\n\
         [language_model.prices]\ninput_usd_per_million = 1.0\noutput_usd_per_million = 10.0\n"
    )
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}", json!({"object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}))
}

fn says(words: &str) -> ScriptedResponse {
    let events = [
        chunk(&json!({"role": "assistant", "content": words}), None),
        chunk(&json!({}), Some("stop")),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100}}".to_owned(),
        "data: [DONE]".to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    ScriptedResponse::events(&events, StreamEnd::Whole)
}

/// A home with one document, and the id of its passage.
fn filled() -> Option<(Bench, String)> {
    let bench = Bench::with_model()?;
    bench.write("docs/leave.md", "# Leave\n\nEvery employee has 28 days of paid leave a year.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    let found = bench.run(&["--json", "search", "days of paid leave"]).expect_code(0).json();
    let id = found["passages"][0]["id"].as_str().unwrap().to_owned();
    Some((bench, id))
}

#[test]
fn an_answer_is_cited_checked_and_paid_for_once() {
    let Some((bench, id)) = filled() else { return };
    let server = ScriptedServer::start();
    bench.write(".adit/adit.toml", settings(server.address()));
    server.answer(PATH, says(&format!("Every employee has 28 days of paid leave a year [doc:{id}].")));
    let asked = bench.run(&["--json", "ask", "How many days of paid leave?"]).expect_code(0).json();
    assert_eq!(asked["extractive"], json!(false), "{asked}");
    assert_eq!(asked["citations"][0]["source"], json!("docs/leave.md"));
    assert_eq!(asked["faithfulness"], json!(1.0), "{asked}");
    let report = bench.run(&["--json", "cost", "report"]).expect_code(0).json();
    assert_eq!(report["total"]["calls"], json!(1), "{report}");
    assert!((report["total"]["cost_usd"].as_f64().unwrap() - 0.002).abs() < 1e-9, "{report}");

    server.answer(PATH, says(&format!("Every employee has 31 days of paid leave a year [doc:{id}].")));
    let asked = bench.run(&["--json", "ask", "How many days of paid leave?"]).expect_code(0).json();
    assert_eq!(asked["claims"][0]["is_supported"], json!(false), "{asked}");
    assert!(asked["answer"].as_str().unwrap().contains("[unsupported]"), "{asked}");
}

#[test]
fn a_model_that_fails_leaves_the_documents_own_words_and_says_so() {
    let Some((bench, _)) = filled() else { return };
    let server = ScriptedServer::start();
    bench.write(".adit/adit.toml", settings(server.address()));
    server.answer(PATH, ScriptedResponse::status(500, "out of order"));
    let asked = bench.run(&["--json", "ask", "How many days of paid leave?"]).expect_code(0).json();
    assert_eq!(asked["extractive"], json!(true), "{asked}");
    assert!(asked["answer"].as_str().unwrap().contains("28 days"), "{asked}");
    let notices = asked["notices"].to_string();
    assert!(notices.contains("500") || notices.contains("model"), "{notices}");
}

#[test]
fn a_setting_that_cannot_be_meant_is_refused_with_a_hint() {
    let Some((bench, _)) = filled() else { return };
    for (wrong, names) in [
        ("[language_model]\nprovidr = \"open_ai\"\n", "providr"),
        (
            "[language_model]\nprovider = \"open_ai\"\nmodel = \"m\"\n[language_model.endpoint]\nkey_variable = \"ADIT_TEST_NO_SUCH_KEY\"\n",
            "ADIT_TEST_NO_SUCH_KEY",
        ),
    ] {
        bench.write(".adit/adit.toml", wrong);
        let call = bench.run(&["ask", "How many days of paid leave?"]);
        assert_eq!(call.code, 2, "{call}");
        assert!(call.stderr.contains(names) && call.stderr.contains("hint:"), "{call}");
    }
}
