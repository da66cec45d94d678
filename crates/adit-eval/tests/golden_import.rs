//! Golden sets from other formats. The real sets are read where `../shared/data` is there.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use adit_eval::golden::{check_golden, import_beir, import_chunk_eval, import_squad};
use adit_eval::{EvalError, GoldenSet};

fn shared_data(name: &str) -> Option<PathBuf> {
    let beside_repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("ADIT_SHARED_DATA").map_or(beside_repository, PathBuf::from);
    let folder = data.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {name} is not here (ADIT_SHARED_DATA or shared/data beside the repository)");
    None
}

/// The oracle is the set itself: its authors say that every reference stands at its offsets.
#[test]
fn all_references_of_chunk_eval_place_exactly() {
    let Some(folder) = shared_data("chunk-eval") else { return };
    let from_lines = import_chunk_eval(&folder.join("questions.jsonl")).unwrap();
    let from_table = import_chunk_eval(&folder.join("questions_df.csv")).unwrap();
    assert_eq!(from_lines, from_table);
    assert_eq!(import_chunk_eval(&folder).unwrap(), from_lines);
    let set = from_lines.set;
    let mut text_of = |source: &str| fs_err::read_to_string(folder.join("corpora").join(source)).map(Some);
    let report = check_golden(&set, &mut text_of).unwrap();
    assert_eq!((report.items, report.spans, report.exact), (472, 790, 790));
    assert!(report.is_placed() && report.moved.is_empty());
    assert_eq!(report.categories.len(), 5);

    // Without the offsets the words alone must lead to the same places, but for repeated passages.
    let mut bare = set.clone();
    for span in bare.items.iter_mut().flat_map(|item| &mut item.spans) {
        (span.char_start, span.char_end) = (None, None);
    }
    let report = check_golden(&bare, &mut text_of).unwrap();
    assert_eq!(report.exact, 790);
    println!("{} quotes stand in their document more than once", report.ambiguous.len());

    // And a text whose lines are broken otherwise, with offsets that no longer hold.
    let rewrapped = |source: &str| {
        text_of(source).map(|text| text.map(|text| text.split_whitespace().collect::<Vec<_>>().join("\n")))
    };
    let mut rewrapped = rewrapped;
    let report = check_golden(&set, &mut rewrapped).unwrap();
    assert_eq!(report.exact + report.moved.len(), 790, "{:?}", report.not_placed);
}

#[test]
fn chunk_eval_lines_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("questions.jsonl");
    let good = r#"{"question": "a?", "corpus": "c", "references": [{"content": "x", "start_index": 0, "end_index": 1}]}"#;
    for bad in [
        r#"{"question": "a?", "corpus": "c", "references": []}"#,
        r#"{"question": "", "corpus": "c", "references": [{"content": "x", "start_index": 0, "end_index": 1}]}"#,
        r#"{"question": "a?", "corpus": "c"}"#,
        r#"{"question": "a?", "corpus": "c", "references": [{"content": "x", "start_index": 2, "end_index": 1}]}"#,
    ] {
        fs_err::write(&path, format!("{good}\n{bad}\n")).unwrap();
        let error = import_chunk_eval(&path).unwrap_err();
        assert!(matches!(error, EvalError::Golden { line_number: 2, .. }), "{error}");
    }
    fs_err::write(&path, format!("{good}\n{good}\n")).unwrap();
    let items = import_chunk_eval(folder.path()).unwrap().set.items;
    assert_eq!(format!("{}-2", items[0].id), items[1].id);
    let table = folder.path().join("questions_df.csv");
    fs_err::write(&table, "question,references,corpus_id\na?,\"[]\",c\n").unwrap();
    assert!(import_chunk_eval(&table).unwrap_err().to_string().contains("line 2"));
    assert!(matches!(import_chunk_eval(Path::new("nowhere")), Err(EvalError::Missing { .. })));
}

#[test]
fn beir_gold_is_whole_documents() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| fs_err::write(folder.path().join(name), content).unwrap();
    fs_err::create_dir(folder.path().join("qrels")).unwrap();
    write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"a?\"}\n{\"_id\":\"q2\",\"text\":\"b?\"}\n");
    write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\td3\t1\nq2\td1\t0\n");
    let imported = import_beir(folder.path()).unwrap();
    assert_eq!(imported.set.items.len(), 1);
    let sources: Vec<&str> = imported.set.items[0].spans.iter().map(|span| span.source.as_str()).collect();
    assert_eq!(sources, ["d1", "d3"]);
    assert_eq!(imported.notices.len(), 1);
    write("qrels/test.tsv", "q1\td1\t0\n");
    assert!(matches!(import_beir(folder.path()), Err(EvalError::NothingRelevant { .. })));
}

#[test]
fn beir_sets_come_in_whole() {
    let Some(folder) = shared_data("beir/scifact") else { return };
    let imported = import_beir(&folder).unwrap();
    // Numbers of the set's own description: 300 judged queries, 339 relevant judgments.
    assert_eq!(imported.set.items.len(), 300);
    assert_eq!(imported.set.items.iter().map(|item| item.spans.len()).sum::<usize>(), 339);
}

const SQUAD: &str = r#"{"version": "v2.0", "data": [{"title": "Süden/Norden", "paragraphs": [
    {"context": "Grün ist die Wiese, grün der Wald.", "qas": [
        {"id": "5a", "question": "Was ist der Wald?", "answers": [
            {"text": "grün", "answer_start": 20}, {"text": "grün", "answer_start": 20}], "is_impossible": false},
        {"id": 7, "question": "Was ist der See?", "answers": [], "is_impossible": true},
        {"question": "Was ist grün?", "answers": [{"text": "Wiese", "answer_start": 2}]}]}]}]}"#;

fn squad(content: &str) -> Result<adit_eval::golden::ImportedGolden, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("squad.json");
    fs_err::write(&path, content).unwrap();
    import_squad(&path)
}

#[test]
fn squad_answers_become_spans_of_their_paragraph() {
    let imported = squad(SQUAD).unwrap();
    let [wood, lake, meadow] = imported.set.items.as_slice() else { panic!("{imported:?}") };
    assert_eq!((wood.id.as_str(), wood.spans.len(), wood.spans[0].char_start), ("5a", 1, Some(20)));
    assert_eq!(wood.expected_answer.as_deref(), Some("grün"));
    assert_eq!((lake.id.as_str(), lake.answerable, lake.spans.len()), ("7", false, 0));
    assert_eq!(meadow.spans[0].char_start, None, "a wrong offset is left out");
    assert_eq!(imported.documents[0].source, "Süden_Norden/0001.txt");
    let texts: BTreeMap<_, _> =
        imported.documents.iter().map(|document| (document.source.as_str(), document.text.clone())).collect();
    let report = check_golden(&imported.set, &mut |source| Ok::<_, ()>(texts.get(source).cloned())).unwrap();
    assert_eq!((report.exact, report.spans), (2, 2));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("golden.jsonl");
    imported.set.write(&path).unwrap();
    assert_eq!(GoldenSet::read(&path).unwrap(), imported.set);
}

#[test]
fn squad_files_that_cannot_be_used_are_named() {
    for (from, to, said) in [
        ("\"data\"", "\"date\"", "missing field `data`"),
        ("\"Wiese\"", "\"Berg\"", "paragraph 1: the answer `Berg`"),
        ("\"answer_start\": 2}", "\"answer_start\": -2}", "-2"),
        ("\"is_impossible\": true", "\"is_impossible\": false", "needs a `source`"),
        ("}]}]}]}]}", "", "line"),
    ] {
        let error = squad(&SQUAD.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert!(adit_core::Classified::hint(&error).is_some());
    }
    assert!(squad("{\"data\": []}").is_err());
    assert!(matches!(import_squad(Path::new("nowhere.json")), Err(EvalError::Missing { .. })));
}
