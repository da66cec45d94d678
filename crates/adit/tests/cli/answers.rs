//! `adit ask` without a language model: cited sentences, or a refusal that says what to do next.

use serde_json::{Value, json};

use crate::bench::Bench;

fn handbook() -> Option<Bench> {
    let bench = Bench::with_model()?;
    bench.write(
        "docs/leave.md",
        "# Leave\n\nWelcome to the company. Staff receive 28 days of paid leave a year. Leave may not be carried over.\n",
    );
    bench.write(
        "docs/travel.md",
        "# Travel\n\nTrains are booked in second class. Hotels cost at most 120 euros.\n",
    );
    bench.write(
        "docs/payroll.md",
        "---\nacl: [payroll]\n---\n# Pay\n\nThe director receives 9000 euros of salary.\n",
    );
    bench.run(&["index", "docs"]).expect_code(0);
    Some(bench)
}

#[test]
fn an_extractive_answer_says_what_it_is_and_where_it_stands() {
    let Some(bench) = handbook() else { return };
    let question = "How many days of paid leave do staff receive?";
    let answer = bench.run(&["--json", "ask", question]).expect_code(0).json();
    assert!(
        answer["answer"].as_str().unwrap().starts_with("Staff receive 28 days of paid leave"),
        "{answer:#}"
    );
    assert_eq!((&answer["extractive"], &answer["refused"]), (&json!(true), &json!(false)));
    assert_eq!(answer["citations"][0]["source"], "docs/leave.md");
    assert_eq!(answer["citations"][0]["heading_path"], json!(["Leave"]));
    assert_eq!(answer["faithfulness"], 1.0);
    assert!(answer["claims"].as_array().is_some_and(|claims| !claims.is_empty()));
    assert!(answer["confidence"]["level"].is_string() && answer["usage"]["input_tokens"] == 0);
    assert!(answer["trace_id"].is_string(), "the search is logged: {answer:#}");
    let told = bench.run(&["ask", "--no-model", question]).expect_code(0);
    for part in ["no language model", "28 days", "Sources:", "docs/leave.md > Leave", "Confidence:"] {
        assert!(told.stdout.contains(part), "{part}: {told}");
    }
    assert!(told.stderr.contains("search id:"), "{told}");
}

#[test]
fn what_nobody_wrote_or_may_read_is_refused() {
    let Some(bench) = handbook() else { return };
    let refused = |arguments: &[&str]| -> Value {
        let mut all = vec!["--json", "ask"];
        all.extend(arguments);
        bench.run(&all).expect_code(0).json()
    };
    let answer = refused(&["penguin incubation zoology in Antarctica"]);
    assert_eq!((&answer["refused"], &answer["claims"]), (&json!(true), &json!([])), "{answer:#}");
    assert!(answer["refusal"]["next_steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{answer:#}");
    let secret = "What salary does the director receive?";
    assert!(!refused(&[secret]).to_string().contains("9000"));
    assert!(refused(&[secret, "--as", "payroll"])["answer"].as_str().unwrap().contains("9000"));
    let told = bench.run(&["ask", "penguin incubation zoology in Antarctica"]).expect_code(0);
    assert!(told.stdout.contains("do not answer") && told.stdout.contains("Reason:"), "{told}");
}
