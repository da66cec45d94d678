//! Measuring from the command line: eval, its log and gate, diagnose, audit.

use crate::bench::{Bench, repository};

fn indexed() -> Option<(Bench, String)> {
    let bench = Bench::with_examples()?;
    bench.run(&["index", "examples"]).expect_code(0);
    let golden = repository().join("golden/examples.jsonl").display().to_string();
    Some((bench, golden))
}

#[test]
fn an_evaluation_is_scored_saved_compared_and_logged() {
    let Some((bench, golden)) = indexed() else { return };
    let first = bench.run(&["--json", "eval", "--golden", &golden, "--save", "words", "--mode", "lexical"]);
    let first = first.expect_code(0).json();
    assert_eq!(first["summary"]["answerable"], 30);
    assert_eq!(first["summary"]["with_unplaced_gold"], 0);
    let second = bench.run(&["eval", "--golden", &golden, "--compare", "words", "--report", "page.html"]);
    let second = second.expect_code(0);
    assert!(second.stdout.contains("words -> this run") && second.stdout.contains("category=meaning"));
    assert!(fs_err::read_to_string(bench.path("page.html")).unwrap().contains("<svg"));
    let log = bench.run(&["--json", "eval", "log"]).expect_code(0).json();
    assert_eq!(log.as_array().unwrap().len(), 2);
    assert_eq!(log[0]["name"], "words");
    let unknown = bench.run(&["eval", "--golden", &golden, "--compare", "wrods"]).expect_code(2);
    assert!(unknown.stderr.contains("saved: words") && unknown.stderr.contains("hint: "), "{unknown}");
    let missing = bench.run(&["eval"]).expect_code(2);
    assert!(missing.stderr.contains("golden.jsonl") && missing.stderr.contains("hint: "), "{missing}");
}

#[test]
fn a_gate_fails_with_its_own_exit_code_and_a_table() {
    let Some((bench, golden)) = indexed() else { return };
    let rule = |least: &str| format!("[[gate]]\nmetric = \"recall@100\"\nat_least = {least}\n");
    bench.write(".adit/adit.toml", rule("0.5"));
    bench.run(&["eval", "--golden", &golden, "--gate"]).expect_code(0);
    bench.write(".adit/adit.toml", rule("0.5") + "\n[[gate]]\nmetric = \"ndcg@10\"\nmost_loss = 0.01\n");
    let failed = bench.run(&["eval", "--golden", &golden, "--gate"]).expect_code(3);
    assert!(failed.stdout.contains("FAIL") && failed.stdout.contains("--accept"), "{failed}");
    bench.run(&["eval", "--golden", &golden, "--accept"]).expect_code(0);
    bench.run(&["eval", "--golden", &golden, "--gate"]).expect_code(0);
    bench.run(&["eval", "--golden", &golden, "--gate", "--mode", "lexical"]).expect_code(3);
    bench.write(".adit/adit.toml", "[[gate]]\nmetric = \"accuracy\"\nat_least = 0.5\n");
    let wrong = bench.run(&["eval", "--golden", &golden, "--gate"]).expect_code(2);
    assert!(wrong.stderr.contains("`accuracy` is no metric"), "{wrong}");
}

#[test]
fn a_diagnosis_names_the_stage_and_an_audit_the_state_of_the_index() {
    let Some((bench, _)) = indexed() else { return };
    let quote = "Dogs are welcome on Thursdays and Fridays";
    let question = "Am I allowed to take my pet with me to work?";
    let found = bench.run(&["--json", "diagnose", question, "--expect", quote]).expect_code(0).json();
    assert_eq!(found["stage"], "none");
    let words = ["--json", "diagnose", question, "--expect", quote, "--mode", "lexical"];
    assert_eq!(bench.run(&words).expect_code(1).json()["stage"], "lexical");
    let secret = ["--json", "diagnose", "salary bands", "--expect", "Only for the payroll team"];
    let told = bench.run(&secret).expect_code(1).json();
    assert_eq!(told["stage"], "scope");
    assert!(told["remedy"].as_str().unwrap().contains("--as"), "{told}");
    bench.write(
        "examples/people/first-90-days.md",
        "# First 90 days\n\nNo animals at all are welcome here.\n",
    );
    let changed = ["--json", "diagnose", question, "--expect", "No animals at all are welcome"];
    assert_eq!(bench.run(&changed).expect_code(1).json()["stage"], "version");
    bench.run(&["index", "examples"]).expect_code(0);

    let audit = bench.run(&["--json", "audit", "--all"]).expect_code(0).json();
    assert_eq!((audit["orphans"].as_u64(), audit["problems"].as_array().unwrap().len()), (Some(0), 0));
    assert!(audit["index_recall"]["recall_at_10"].as_f64().unwrap() > 0.99, "{audit}");
    assert!(audit["self_retrieval"]["found_share"].as_f64().unwrap() > 0.95, "{audit}");
    assert_eq!(audit["indexing_lag"]["documents"], 1);
    let history = fs_err::read_to_string(bench.path(".adit/audits.jsonl")).unwrap();
    assert_eq!(history.lines().count(), 1);
    let strict = bench.run(&["audit", "--found-target", "2"]).expect_code(2);
    assert!(strict.stderr.contains("hint: "), "{strict}");
}

#[test]
fn trec_files_are_scored_and_bad_ones_named_by_line() {
    let bench = Bench::empty();
    bench.write("good.run", "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq9 Q0 d1 1 1.0 t\n");
    bench.write("worse.run", "q1 Q0 d2 1 2.0 t\nq1 Q0 d1 2 1.0 t\n");
    bench.write("qrels", "q1 0 d1 1\nq2 0 d1 1\n");
    let arguments =
        ["--json", "eval", "trec", "good.run", "qrels", "--compare", "worse.run", "--metric", "mrr@10"];
    let call = bench.run(&arguments).expect_code(0);
    let scored = call.json();
    // The query that the run lacks counts 0.
    assert_eq!((scored["queries"].as_u64(), scored["metrics"][0]["mean"].as_f64()), (Some(2), Some(0.5)));
    assert_eq!(scored["metrics"][0]["compared_mean"], 0.25);
    assert_eq!(scored["missing_queries"][0], "q2");
    assert!(call.stderr.contains("q9"), "{call}");
    bench.write("twice.run", "q1 Q0 d1 1 2.0 t\nq1 Q0 d1 2 1.0 t\n");
    let twice = bench.run(&["eval", "trec", "twice.run", "qrels"]).expect_code(2);
    assert!(twice.stderr.contains("line 2") && twice.stderr.contains("hint: "), "{twice}");
    bench.write("empty", "");
    bench.run(&["eval", "trec", "good.run", "empty"]).expect_code(2);
    let unknown = bench.run(&["eval", "trec", "good.run", "qrels", "--metric", "accuracy"]).expect_code(2);
    assert!(unknown.stderr.contains("accuracy"), "{unknown}");
}
