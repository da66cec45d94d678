//! `adit inspect`: one file, without an index.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_file_is_shown_as_it_is_read_and_cut_and_nothing_is_indexed() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write(
        "a.md",
        "# Kilns\n\nA kiln is hot.\n\n| part | price |\n|---|---|\n| door | 12 |\n\n<!-- c -->\n",
    );
    let shown = bench.run(&["inspect", "a.md"]).expect_code(0);
    for words in
        ["heading: ", "paragraph: A kiln is hot.", "table of 2", "chunks (structure/1", "encoding UTF-8"]
    {
        assert!(shown.stdout.contains(words), "{words}: {shown}");
    }
    let inspected = bench.run(&["--json", "inspect", "a.md"]).expect_code(0).json();
    assert_eq!(inspected["blocks"][0]["kind"], json!("heading"), "{inspected}");
    assert!(inspected["chunks"][0]["display"].as_str().unwrap().contains("A kiln is hot."), "{inspected}");
    assert!(!bench.run(&["--json", "grep", "kiln"]).stdout.contains("a.md"));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_a_next_step() {
    let bench = Bench::empty();
    bench.write("empty.md", "");
    for file in ["empty.md", "missing.md"] {
        let call = bench.run(&["inspect", file]);
        assert_eq!(call.code, 2, "{call}");
        assert!(call.stderr.contains(file) && call.stderr.contains("hint:"), "{call}");
    }
}
