//! What is estimated before a run is what the run then takes; advice and comparisons answer without a home.

use serde_json::Value;

use crate::bench::Bench;

#[test]
fn an_estimate_counts_what_indexing_then_embeds() {
    let Some(bench) = Bench::with_examples() else { return };
    let estimate = bench.run(&["--json", "cost", "estimate", "examples"]).expect_code(0).json();
    let indexed: Value = bench.run(&["--json", "index", "examples"]).json();
    let estimated = &estimate["estimates"][0];
    assert_eq!(estimated["purpose"], "embed");
    assert_eq!(estimated["usage"]["embedded_tokens"], indexed["embedded_tokens"]);
    assert_eq!(estimated["calls"], indexed["embedded_chunks"]);
    assert_eq!(estimate["chunks"], indexed["chunks"]);
    assert_eq!(estimate["total_usd"], 0.0, "a model of this machine costs nothing");
    assert!(estimated["minutes"].as_f64().unwrap() > 0.0);
    // A second estimate, now with a home, says the same.
    let again = bench.run(&["--json", "cost", "estimate", "examples"]).expect_code(0).json();
    assert_eq!(again["estimates"][0]["usage"], estimated["usage"]);
}

#[test]
fn a_budget_is_hard() {
    let Some(bench) = Bench::with_examples() else { return };
    let priced = ["--json", "cost", "estimate", "examples", "--model", "claude-haiku-4-5"];
    let enough = bench.run(&[&priced[..], &["--budget-usd", "100"]].concat()).expect_code(0).json();
    let total_usd = enough["total_usd"].as_f64().unwrap();
    assert!(total_usd > 0.0 && total_usd < 100.0, "{enough}");
    assert_eq!(enough["estimates"][0]["calls"], enough["chunks"], "one call a chunk");
    let refused = bench.run(&[&priced[..], &["--budget-usd", "0.0001"]].concat()).expect_code(3);
    assert!(refused.stderr.contains("above the budget of $0.00010"), "{refused}");
    assert_eq!(refused.json()["total_usd"], enough["total_usd"], "the estimate is shown all the same");
    let unknown = bench.run(&["cost", "estimate", "examples", "--model", "nobody"]).expect_code(2);
    assert!(unknown.stderr.contains("no price is known for the model nobody"), "{unknown}");
    bench.run(&["cost", "estimate", "examples", "--budget-usd", "nan"]).expect_code(2);
    let standing = bench.run(&["cost", "estimate", "examples", "--calls-per-minute", "0"]).expect_code(2);
    assert!(standing.stderr.contains("calls per minute is 0, but must be a number above 0"), "{standing}");
}

#[test]
fn comparisons_follow_the_flags_and_the_prices() {
    let bench = Bench::empty();
    let shown = bench.run(&["cost", "compare"]).expect_code(0).stdout;
    for expected in ["$0.01665", "$0.02178", "$0.10440", "6.27x", "fewer than 58%"] {
        assert!(shown.contains(expected), "{expected} is not in\n{shown}");
    }
    let two = bench.run(&["--json", "cost", "compare", "--searches-per-question", "2"]).expect_code(0).json();
    assert!((two["break_even"]["share"].as_f64().unwrap() - 0.22).abs() < 0.005);
    let own = "[[price]]\nmodel = \"claude-sonnet-5\"\ninput_usd_per_million = 6.0\n\
               output_usd_per_million = 30.0\nas_of = \"2026-01-31\"\nsource = \"a contract\"\n";
    bench.write("prices.toml", own);
    let doubled = bench.run(&["--json", "cost", "compare", "--prices", "prices.toml"]).expect_code(0).json();
    assert!((doubled["classic_usd"].as_f64().unwrap() - 0.0333).abs() < 1e-9);
    bench.write("prices.toml", "[[price]]\nmodel = \"x\"\n");
    let broken = bench.run(&["cost", "compare", "--prices", "prices.toml"]).expect_code(2);
    assert!(broken.stderr.contains("prices.toml"), "{broken}");
    bench.run(&["cost", "compare", "--corpus-share", "1.5"]).expect_code(2);
}

#[test]
fn a_ledger_is_summed_and_a_broken_line_is_named() {
    let bench = Bench::empty();
    let entry = |time: &str, purpose: &str, usd: f64| {
        format!(
            "{{\"time\":\"{time}\",\"purpose\":\"{purpose}\",\"model\":\"claude-haiku-4-5\",\
             \"usage\":{{\"input_tokens\":1000}},\"cost_usd\":{usd}}}\n"
        )
    };
    let good = entry("2026-01-31T10:00:00Z", "judge", 0.001) + &entry("2026-02-01T10:00:00Z", "judge", 0.001);
    bench.write("ledger.jsonl", &good);
    let report = bench.run(&["--json", "cost", "report", "--ledger", "ledger.jsonl"]).expect_code(0).json();
    assert_eq!(report["total"]["calls"], 2);
    assert_eq!(report["by_purpose"][0]["name"], "judge");
    assert_eq!(report["by_day"].as_array().unwrap().len(), 2);
    assert_eq!(report["total"]["usage"]["input_tokens"], 2000);
    bench.write("ledger.jsonl", &(good + &entry("2026-02-01T10:00:00Z", "judge", -1.0)));
    let broken = bench.run(&["cost", "report", "--ledger", "ledger.jsonl"]).expect_code(2);
    assert!(broken.stderr.contains("line 3"), "{broken}");
    bench.run(&["cost", "report", "--ledger", "none.jsonl"]).expect_code(2);
    bench.run(&["cost", "report"]).expect_code(2);
}

#[test]
fn advice_tells_text_from_tables() {
    let Some(bench) = Bench::with_model() else { return };
    let rows: String = (0..200).map(|row| format!("{row},order {row},{}\n", row * 7)).collect();
    bench.write("data/orders.csv", format!("id,name,amount\n{rows}"));
    bench.write("notes/rules.md", "# Rules\n\nHolidays are asked for in writing, two weeks ahead.\n");
    bench.write("notes/broken.pdf", "%PDF-1.4 and nothing more");
    let data = bench.run(&["--json", "advise", "data"]).expect_code(0).json();
    assert_eq!(data["recommendation"], "query", "{data}");
    let notes = bench.run(&["--json", "advise", "notes"]).expect_code(0).json();
    assert_eq!(notes["recommendation"], "context", "{notes}");
    assert_eq!(notes["uncounted"].as_array().unwrap().len(), 1);
    let shown = bench.run(&["advise", "notes", "--readers-differ"]).expect_code(0).stdout;
    assert!(shown.starts_with("Recommendation: retrieve") && shown.contains("1. Size: 1 file"), "{shown}");
    bench.write("empty/nothing.md", "");
    bench.run(&["advise", "empty"]).expect_code(2);
    bench.run(&["advise", "nowhere"]).expect_code(2);
}
