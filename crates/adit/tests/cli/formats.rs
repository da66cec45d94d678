//! Formats by content: each ends in a state, and its words are found where they stand.

use crate::bench::{Bench, shared_data};

#[test]
fn text_formats_are_told_by_content_and_their_words_found() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/talk.txt", "WEBVTT\n\n00:12.000 --> 00:14.000\n<v Ada>The subtitleword is spoken.\n");
    bench.write(
        "docs/letter",
        "From: Ada <ada@example.org>\nTo: bob@example.org\nSubject: Kiln order\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\nThe mailword arrives on Friday.\n",
    );
    bench.write("docs/data.json", "{\"orders\": {\"first\": {\"item\": \"jsonword kiln\", \"count\": 3}}}");
    bench.write("docs/book.rst", "Guide\n=====\n\nUse\n---\n\nThe rstword stands here.\n");
    bench.write(
        "docs/lab.ipynb",
        "{\"cells\": [{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": [\"# Lab\\n\", \"The notebookword.\"]}], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}",
    );
    bench.write("docs/note.rtf", "{\\rtf1\\ansi The rtfword stands here.\\par}");
    bench.write("docs/broken.docx", b"PK\x03\x04 this is no package");
    let report = bench.run(&["index", "docs"]).expect_code(1);
    assert!(report.stdout.contains("broken.docx") && report.stdout.contains("damaged"), "{report}");
    for (word, source) in [
        ("subtitleword", "docs/talk.txt"),
        ("mailword", "docs/letter"),
        ("jsonword", "docs/data.json"),
        ("rstword", "docs/book.rst"),
        ("notebookword", "docs/lab.ipynb"),
        ("rtfword", "docs/note.rtf"),
    ] {
        assert_eq!(bench.found(&[word, "--mode", "lexical"]), [source], "{word}");
    }
    let status = bench.run(&["--json", "status"]).expect_code(1).json();
    assert_eq!((&status["documents"]["searchable"], &status["documents"]["failed"]), (&6.into(), &1.into()));
    assert_eq!(bench.found(&["kiln", "--filter", "type=email", "--mode", "lexical"]), ["docs/letter"]);
}

#[test]
fn real_office_files_each_end_in_a_state() {
    let Some(data) = shared_data() else { return println!("skipped: the messy real files are not there") };
    let Some(bench) = Bench::with_model() else { return };
    let folder = data.join("docs/office").display().to_string();
    let report = bench.run(&["--json", "index", &folder]).expect_code(1).json();
    let documents = &report["documents"];
    let count = |state: &str| documents[state].as_u64().unwrap();
    let told: u64 = ["searchable", "partial", "failed", "skipped"].map(count).iter().sum();
    assert_eq!(report["files"].as_u64(), Some(told), "every file ends in exactly one state");
    // One is protected by a password, one attachment is no PDF, two are pictures; empty files are skipped.
    assert!(count("searchable") >= 226 && count("failed") <= 4, "{documents}");
}
