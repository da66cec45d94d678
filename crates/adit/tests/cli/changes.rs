use crate::bench::Bench;

#[test]
fn indexing_twice_writes_nothing_and_a_changed_paragraph_costs_its_own_chunk() {
    let Some(bench) = Bench::with_examples() else { return };
    let first = bench.run(&["--json", "index", "examples"]).expect_code(0).json();
    assert_eq!(first["committed"], first["files"]);
    assert_eq!(first["documents"]["failed"], 0);
    let sequence = |bench: &Bench| {
        bench.run(&["--json", "status", "--all"]).expect_code(0).json()["catalog_sequence"].as_u64().unwrap()
    };
    let before = sequence(&bench);
    let second = bench.run(&["--json", "index", "examples"]).expect_code(0).json();
    assert_eq!((&second["committed"], &second["embedded_chunks"]), (&0.into(), &0.into()));
    assert_eq!(sequence(&bench), before, "an unchanged folder must not write");

    let file = bench.path("examples/handbook/glossary.md");
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, format!("{text}\n## Zanzibar code\n\nThe Zanzibar code is QX-7781.\n")).unwrap();
    let third = bench.run(&["--json", "index", "examples"]).expect_code(0).json();
    assert_eq!(third["committed"], 1);
    assert!(
        third["chunks"].as_u64() > third["embedded_chunks"].as_u64(),
        "known chunks are not embedded again: {third}"
    );
    assert_eq!(bench.found(&["QX-7781"])[0], "examples/handbook/glossary.md");
}

#[test]
fn a_deleted_file_and_a_removed_document_leave_no_trace() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/a.md", "# Kiln\n\nThe kiln reaches 1280 degrees, marker alphamarker.\n");
    bench.write("docs/b.md", "# Wheel\n\nThe wheel turns at 90 rpm, marker betamarker.\n");
    bench.run(&["index", "docs"]).expect_code(0);
    fs_err::remove_file(bench.path("docs/a.md")).unwrap();
    let report = bench.run(&["--json", "index", "docs"]).expect_code(0).json();
    assert_eq!(report["removed"], 1);
    bench.run(&["rm", "docs/b.md"]).expect_code(0);
    for word in ["alphamarker", "betamarker"] {
        assert!(bench.found(&[word]).is_empty());
        assert!(
            bench.run(&["--json", "grep", word]).expect_code(0).json()["hits"].as_array().unwrap().is_empty()
        );
    }
    let call = bench.run(&["search", "kiln"]).expect_code(0);
    assert!(call.stdout.starts_with("No matching documents."), "{call}");
    let call = bench.run(&["rm", "docs/b.md"]).expect_code(2);
    assert!(call.stderr.contains("nothing was removed") && call.stderr.contains("hint:"), "{call}");
}
