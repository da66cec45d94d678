use std::os::unix::ffi::OsStrExt;

use crate::bench::{Bench, Call};

fn refused(call: Call, code: i32, words: &str) {
    let call = call.expect_code(code);
    assert!(call.stderr.contains(words), "must say `{words}`: {call}");
    assert!(call.stderr.contains("hint: "), "must say what to do next: {call}");
    assert_eq!(call.stdout, "", "results only on stdout: {call}");
}

#[test]
fn what_cannot_be_used_is_said_with_a_hint() {
    let bench = Bench::empty();
    refused(bench.run(&["search", "x"]), 2, "no .adit folder");
    refused(bench.run(&["status"]), 2, "no .adit folder");
    refused(bench.run(&["demo"]), 2, "there is no folder examples");
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# A\n\nSome words.\n");
    refused(bench.run(&["index", "nothing-here"]), 2, "nothing-here");
    bench.run(&["index", "docs"]).expect_code(0);
    refused(bench.run(&["search", "x", "--filter", "nonsense"]), 2, "`nonsense`");
    refused(bench.run(&["search", " "]), 2, "empty");
    let long = "word ".repeat(22_000);
    refused(bench.run(&["search", &long]), 2, "limit of 100000");
    refused(bench.run(&["search", "--literal", "--mode", "dense", &"word ".repeat(600)]), 2, "window");
    refused(bench.run(&["search", "x", "--budget", "3"]), 2, "budget");
    let mut command = bench.command(&["search"]);
    command.arg(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let call: Call = command.output().unwrap().into();
    assert_eq!(call.code, 2);
    assert!(call.stderr.contains("UTF-8"), "{call}");
    bench.write(".adit/adit.toml", "[serch]\nlimit = 3\n");
    refused(bench.run(&["search", "words"]), 2, "serch");
}

#[test]
fn another_fingerprint_is_refused_until_the_collection_is_made_anew() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# A\n\nSome words about glaze.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    bench.write(".adit/adit.toml", "[model]\nprecision = \"f32\"\n");
    for call in [bench.run(&["search", "glaze"]), bench.run(&["index", "docs"])] {
        assert!(call.stderr.contains("int8") && call.stderr.contains("f32"), "{call}");
        refused(call, 3, "fingerprint");
    }
    assert_eq!(bench.found(&["glaze", "--mode", "lexical"]), ["docs/a.md"]);
    bench.run(&["index", "docs", "--reindex"]).expect_code(0);
    assert_eq!(bench.found(&["glaze"]), ["docs/a.md"]);
}

#[test]
fn without_a_model_words_still_find_and_the_lack_is_said() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# A\n\nSome words about glaze.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    let offline = |arguments: &[&str]| -> Call {
        let mut command = bench.command(arguments);
        command.env("ADIT_MODELS", bench.path("no-models")).env("ADIT_MODEL_HUB", "http://127.0.0.1:9");
        command.env("PATH", "").env_remove("ADIT_MODEL_DIR");
        command.output().unwrap().into()
    };
    let call = offline(&["search", "glaze"]).expect_code(0);
    assert!(call.stdout.contains("docs/a.md"), "{call}");
    assert!(call.stderr.contains("by words only"), "{call}");
    refused(offline(&["index", "docs"]), 1, "model");
    let call = offline(&["search", "glaze", "--mode", "lexical"]).expect_code(0);
    let told: Vec<_> = call.stderr.lines().filter(|line| !line.starts_with("search id: ")).collect();
    assert!(told.is_empty(), "a lexical search needs no model: {call}");
}
