//! What readers ask is logged, what they say of it is kept, and the two add up to gaps.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::bench::{Bench, Call};

/// In no document.
const PENGUINS: &str = "penguin incubation in Antarctica";

fn pottery() -> Option<Bench> {
    let bench = Bench::with_model()?;
    bench.write("docs/kiln.md", "# Kiln\n\nThe kiln in hall 3 is fired to 1240 degrees for stoneware.\n");
    bench.write("docs/glaze.md", "# Glaze\n\nCeladon glaze needs iron oxide and a reducing flame.\n");
    bench.write(
        "docs/rules.md",
        "# Rules\n\nWear goggles when you look into the fire box. Error KX-77 stops the fan.\n",
    );
    bench.run(&["index", "docs"]).expect_code(0);
    Some(bench)
}

fn asked(bench: &Bench, arguments: &[&str]) -> String {
    let mut all = vec!["--json", "search"];
    all.extend(arguments);
    let id = bench.run(&all).expect_code(0).json()["search_id"].clone();
    id.as_str().expect("a logged search has an id").to_owned()
}

fn gaps(bench: &Bench, arguments: &[&str]) -> Value {
    let mut all = vec!["--json", "gaps"];
    all.extend(arguments);
    bench.run(&all).expect_code(0).json()
}

#[test]
fn topic_gaps_and_capability_gaps_are_told_apart() {
    let Some(bench) = pottery() else { return };
    for reader in ["anna", "ben", "anna"] {
        asked(&bench, &[PENGUINS, "--as", reader]);
    }
    let disappointing = asked(&bench, &["how hot is the kiln fired for stoneware"]);
    asked(&bench, &["celadon glaze iron oxide"]);
    let call = bench.run(&["feedback", &disappointing, "no", "--note", "wanted Fahrenheit"]).expect_code(0);
    assert!(call.stdout.contains(&disappointing) && call.stdout.contains("no"), "{call}");

    let report = gaps(&bench, &[]);
    assert_eq!((&report["searches"], &report["troubled"]), (&json!(5), &json!(4)), "{report:#}");
    let [topic, capability] = report["groups"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
    assert_eq!((&topic["kind"], &topic["count"], &topic["askers"]), (&json!("topic"), &json!(3), &json!(2)));
    assert_eq!(topic["examples"][0]["question"], PENGUINS);
    assert!(topic["next_step"].as_str().unwrap().contains("penguin"), "{report:#}");
    assert_eq!((&capability["kind"], &capability["count"]), (&json!("capability"), &json!(1)));
    assert_eq!(capability["notes"], json!(["wanted Fahrenheit"]));
    assert!(capability["next_step"].as_str().unwrap().contains("adit diagnose"), "{report:#}");
    let absent: Vec<_> = report["absent_terms"].as_array().unwrap().iter().map(|one| &one["term"]).collect();
    assert!(absent.contains(&&json!("penguin")) && !absent.contains(&&json!("kiln")), "{report:#}");

    let told = bench.run(&["gaps", "--limit", "1"]).expect_code(0);
    assert!(told.stdout.contains("topic gap: 3 searches by 2 askers"), "{told}");
    assert!(told.stdout.contains("1 smaller group not shown"), "{told}");
    assert_eq!(gaps(&bench, &["--since", "2200-01-01"])["searches"], 0);

    // A changed mind, and documents that were added since.
    bench.run(&["feedback", &disappointing.to_uppercase(), "yes"]).expect_code(0);
    bench.write(
        "docs/penguins.md",
        "# Penguins\n\nThe incubation of a penguin egg in Antarctica takes 65 days.\n",
    );
    bench.run(&["index", "docs"]).expect_code(0);
    let report = gaps(&bench, &[]);
    assert_eq!((&report["troubled"], &report["answered_since"]), (&json!(0), &json!(3)), "{report:#}");
}

#[test]
fn ids_that_name_no_search_are_refused_with_a_hint() {
    let Some(bench) = pottery() else { return };
    let refused = |call: Call, words: &str| {
        let call = call.expect_code(2);
        assert!(call.stderr.contains(words) && call.stderr.contains("hint: "), "{call}");
    };
    refused(bench.run(&["feedback", "00000000", "no"]), "no search log");
    refused(bench.run(&["gaps"]), "no search log");
    let call = bench.run(&["search", "kiln"]).expect_code(0);
    let shown = call.stderr.lines().find_map(|line| line.strip_prefix("search id: ")).unwrap().to_owned();
    refused(bench.run(&["feedback", "00000000", "no"]), "00000000");
    refused(bench.run(&["feedback", "kiln", "no"]), "kiln");
    refused(bench.run(&["gaps", "--since", "yesterday"]), "yesterday");
    bench.run(&["feedback", &shown, "maybe"]).expect_code(2);
    bench.run(&["feedback", &shown, "yes"]).expect_code(0);
}

#[test]
fn secrets_are_not_stored_and_nothing_is_where_it_is_not_wanted() {
    let Some(bench) = pottery() else { return };
    let key = format!("sk-{}", "a1B2".repeat(6));
    bench.write(".adit/adit.toml", "[log]\nredact = ['TICKET-\\d+']\n");
    asked(&bench, &[&format!("is {key} for TICKET-4711 refused")]);
    let report = gaps(&bench, &[]).to_string();
    assert!(report.contains("[redacted] for [redacted] refused"), "{report}");
    for file in ["log.db", "log.db-wal"] {
        let bytes = fs_err::read(bench.path(".adit").join(file)).unwrap_or_default();
        for secret in [key.as_str(), "TICKET-4711", "4711"] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} in {file}");
        }
    }

    fs_err::remove_file(bench.path(".adit/log.db")).unwrap();
    bench.write(".adit/adit.toml", "[log]\nsearches = false\n");
    let call = bench.run(&["search", "kiln"]).expect_code(0);
    assert!(!call.stderr.contains("search id") && !bench.path(".adit/log.db").exists(), "{call}");
}

#[test]
fn a_log_that_cannot_be_written_fails_no_search() {
    let Some(bench) = pottery() else { return };
    fs_err::create_dir(bench.path(".adit/log.db")).unwrap();
    let call = bench.run(&["search", "kiln"]).expect_code(0);
    assert!(call.stdout.contains("docs/kiln.md"), "{call}");
    assert!(call.stderr.contains("notice: this search is not logged"), "{call}");
}

#[test]
fn an_agents_searches_are_logged_too() {
    let Some(bench) = pottery() else { return };
    let mut child = bench
        .command(&["mcp", "--as", "agent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut ask = |id: u64, method: &str, parameters: Value| -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        writeln!(input, "{message}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        if id == 0 {
            writeln!(input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        }
        serde_json::from_str(&line).unwrap()
    };
    let client = json!({"name": "test", "version": "1"});
    ask(0, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
    let mut ids = Vec::new();
    for (id, tool) in [(1, "search_docs"), (2, "search")] {
        let answer = ask(id, "tools/call", json!({"name": tool, "arguments": {"query": PENGUINS}}));
        ids.push(answer["result"]["_meta"]["adit/search_id"].as_str().expect("an id").to_owned());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    bench.run(&["feedback", &ids[0], "no"]).expect_code(0);
    let report = gaps(&bench, &[]);
    let group = &report["groups"][0];
    assert_eq!((&group["count"], &group["askers"], &group["feedback_no"]), (&json!(2), &json!(1), &json!(1)));
}
