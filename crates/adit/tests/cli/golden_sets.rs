use std::io::Write;
use std::process::Stdio;

use crate::bench::{Bench, Call, repository};

const SET: &str = "\
{\"id\":\"one\",\"question\":\"How much leave?\",\"source\":\"a.md\",\"quote\":\"sixteen weeks\"}
{\"id\":\"two\",\"question\":\"How much pay?\",\"source\":\"a.md\",\"quote\":\"full pay\"}
{\"id\":\"three\",\"question\":\"Which dentist?\",\"answerable\":false}
";

fn typed(bench: &Bench, arguments: &[&str], input: &str) -> Call {
    let mut child = bench
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_review_can_be_broken_off_and_gone_on_with() {
    let bench = Bench::empty();
    bench.write("set.jsonl", SET);
    let review = ["--json", "golden", "review", "--file", "set.jsonl"];
    let first = typed(&bench, &review, "what\nc money\nq\n").expect_code(0);
    assert!(first.stderr.contains("[1/3] How much leave?") && first.stderr.contains("sixteen weeks"));
    let first = first.json();
    assert_eq!((first["recategorised"].as_u64(), first["remaining"].as_u64()), (Some(1), Some(2)));
    let second = typed(&bench, &review, "d\n").expect_code(0);
    assert!(second.stderr.contains("[1/2] How much pay?"), "{second}");
    assert_eq!(second.json()["remaining"], 1);
    let third = typed(&bench, &review, "\n").expect_code(0).json();
    assert_eq!((third["kept"].as_u64(), third["remaining"].as_u64()), (Some(1), Some(0)));
    let set = fs_err::read_to_string(bench.path("set.jsonl")).unwrap();
    assert_eq!(set.lines().count(), 2);
    assert!(set.contains("\"category\":\"money\"") && !set.contains("full pay"));
    let again = typed(&bench, &["golden", "review", "--again", "--file", "set.jsonl"], "q\n").expect_code(0);
    assert!(again.stdout.contains("2 to go"), "{again}");
}

#[test]
fn a_split_writes_three_files_that_make_up_the_set() {
    let bench = Bench::empty();
    bench.write("set.jsonl", SET);
    let split = ["--json", "golden", "split", "--file", "set.jsonl", "--out", "parts", "--document-disjoint"];
    let parts = bench.run(&split).expect_code(0).json();
    let items: u64 =
        parts["parts"].as_array().unwrap().iter().map(|part| part["items"].as_u64().unwrap()).sum();
    assert_eq!(items, 3);
    for name in ["train", "dev", "test"] {
        assert!(bench.path(&format!("parts/set.{name}.jsonl")).is_file());
    }
    let refused = bench.run(&["golden", "split", "--file", "set.jsonl", "--train", "0.9", "--dev", "0.3"]);
    assert!(refused.expect_code(2).stderr.contains("at most 1"));
}

#[test]
fn an_import_twice_adds_nothing_and_a_bad_one_changes_nothing() {
    let bench = Bench::empty();
    bench.write("set.jsonl", SET);
    bench.write(
        "squad.json",
        "{\"data\":[{\"title\":\"T\",\"paragraphs\":[{\"context\":\"Blue.\",\"qas\":[{\"id\":\"q\",\"question\":\"Colour?\",\
         \"answers\":[{\"text\":\"Blue\",\"answer_start\":0}]}]}]}]}",
    );
    let import =
        ["--json", "golden", "import", "squad", "squad.json", "--file", "set.jsonl", "--documents", "texts"];
    let first = bench.run(&import).expect_code(0).json();
    assert_eq!((first["imported"].as_u64(), first["items"].as_u64()), (Some(1), Some(4)));
    assert_eq!(fs_err::read_to_string(bench.path("texts/T/0001.txt")).unwrap(), "Blue.");
    let second = bench.run(&import).expect_code(0).json();
    assert_eq!((second["imported"].as_u64(), second["already_there"].as_u64()), (Some(0), Some(1)));
    let before = fs_err::read(bench.path("set.jsonl")).unwrap();
    bench.write("bad.jsonl", "{\"question\": \"a?\", \"source\": \"a.md\"}\n{\"question\"\n");
    let bad = bench.run(&["golden", "import", "golden", "bad.jsonl", "--file", "set.jsonl"]).expect_code(2);
    assert!(bad.stderr.contains("bad.jsonl, line 2") && bad.stderr.contains("hint:"), "{bad}");
    assert_eq!(fs_err::read(bench.path("set.jsonl")).unwrap(), before);
}

#[test]
fn generating_without_a_language_model_says_what_to_do() {
    let call = Bench::empty().run(&["golden", "generate"]).expect_code(2);
    assert!(call.stderr.contains("no language model is configured"), "{call}");
    assert!(call.stderr.contains("hint:") && call.stderr.contains("adit golden add"), "{call}");
}

#[test]
fn the_example_set_is_checked_and_added_to_in_a_home() {
    let Some(bench) = Bench::with_examples() else { return };
    bench.run(&["index", "examples"]).expect_code(0);
    let golden = repository().join("golden/examples.jsonl");
    let golden = golden.to_str().unwrap();
    let report = bench.run(&["--json", "golden", "check", "--file", golden]).expect_code(0).json();
    assert_eq!((report["items"].as_u64(), report["exact"].as_u64()), (Some(35), Some(30)), "{report}");

    bench.run(&["golden", "import", "golden", golden]).expect_code(0);
    let leave = ["golden", "add", "Do fathers get leave?", "--source", "people/time-off.md"];
    let with = |more: &[&'static str]| [leave.as_slice(), more].concat();
    let refused = bench.run(&with(&["--quote", "Fathers receive seventy years."])).expect_code(2);
    assert!(refused.stderr.contains("nothing was added"), "{refused}");
    let added = bench.run(&with(&["--quote", "New parents, whether by birth or by adoption"])).expect_code(0);
    assert!(added.stdout.contains("36 questions"), "{added}");
    assert!(bench.run(&leave).expect_code(2).stderr.contains("already has this question"));
    let unknown = bench.run(&["golden", "add", "Who?", "--source", "nowhere.md"]).expect_code(2);
    assert!(unknown.stderr.contains("nowhere.md"), "{unknown}");
    bench.run(&["golden", "add", "Is there a pool?", "--unanswerable"]).expect_code(0);
    bench.run(&["golden", "add", "Where is it?", "--source", "nowhere.md", "--unchecked"]).expect_code(0);
    let checked = bench.run(&["golden", "check"]).expect_code(1);
    assert!(
        checked.stdout.contains("unknown document") && checked.stdout.contains("nowhere.md"),
        "{checked}"
    );
    assert!(checked.stdout.contains("unanswerable: 6 of 38 (16%"), "{checked}");
}
