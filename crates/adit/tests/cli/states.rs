use crate::bench::{Bench, shared_data};

#[test]
fn every_bad_file_ends_in_a_state_with_a_cause_and_the_good_one_is_found() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/good.md", "# Good\n\nThe good file is here: goodword.\n");
    bench.write("docs/empty.md", "");
    bench.write("docs/binary.bin", [0_u8, 159, 146, 150, 0, 1, 2, 3, 255, 254, 0, 0]);
    bench.write("docs/fuzzed.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\ngarbage");
    bench.write("docs/latin.txt", b"Caf\xe9 Z\xfcrich: \xe9tudiant, gar\xe7on, fa\xe7ade, na\xefve, \xfcber");
    bench.write("docs/\u{1F600}.md", "# Smile\n\nemojiword\n");
    let call = bench.run(&["--json", "index", "docs"]).expect_code(1);
    let documents = &call.json()["documents"];
    assert_eq!(documents["searchable"], 3, "{call}");
    assert_eq!(documents["skipped"], 2, "{call}");
    assert_eq!(documents["failed"], 1, "{call}");
    let failed = bench.run(&["status", "--failed"]).expect_code(1);
    assert!(failed.stdout.contains("fuzzed.pdf") && failed.stdout.contains("hint:"), "{failed}");
    assert_eq!(bench.found(&["goodword"])[0], "docs/good.md");
    assert_eq!(bench.found(&["emojiword"])[0], "docs/\u{1F600}.md");
    assert_eq!(bench.found(&["Zürich café", "--mode", "lexical"]), ["docs/latin.txt"]);
}

#[test]
fn messy_real_pdfs_each_end_in_a_state() {
    let Some(data) = shared_data() else {
        println!("skipped: the messy files are missing (set ADIT_SHARED_DATA to their folder)");
        return;
    };
    let Some(bench) = Bench::with_model() else { return };
    let folder = data.join("docs/pdf/pypdf-sample-files");
    let report = bench.run(&["--json", "index", folder.to_str().unwrap()]);
    assert!(matches!(report.code, 0 | 1), "{report}");
    let value = report.json();
    let documents = &value["documents"];
    let total: u64 = ["searchable", "partial", "failed", "skipped"]
        .iter()
        .map(|key| documents[key].as_u64().unwrap())
        .sum();
    assert_eq!(total, value["files"].as_u64().unwrap(), "{report}");
    assert!(documents["searchable"].as_u64().unwrap() >= 10, "{report}");
    for reported in value["reported"].as_array().unwrap() {
        let state = &reported["state"];
        let cause = state["cause"].as_str().or(state["reason"].as_str()).unwrap();
        assert!(!cause.is_empty());
    }
}
