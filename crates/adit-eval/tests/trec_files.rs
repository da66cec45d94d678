//! TREC files come back as they were written, and what could move a figure unseen is refused by file and line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use adit_core::Classified;
use adit_eval::{
    EvalError, Judgments, RankedDocument, Ranking, TrecProblem, read_run, read_trec_judgments, write_run,
    write_trec_judgments,
};
use proptest::prelude::*;

fn file(content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.txt");
    fs_err::write(&path, content).unwrap();
    (folder, path)
}

fn problem<T>(result: Result<T, EvalError>) -> (usize, TrecProblem) {
    match result {
        Err(error @ EvalError::Trec { .. }) => {
            assert!(error.to_string().contains("file.txt, line "), "{error}");
            assert!(error.hint().is_some());
            let EvalError::Trec { line_number, problem, .. } = error else { panic!("{error}") };
            (line_number, problem)
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("was read"),
    }
}

#[test]
fn a_run_is_read_by_score_and_not_by_the_order_of_its_lines() {
    let (_folder, path) = file(
        "\u{feff}q1 Q0 d1 1 0.5 tag\n\nq1\tQ0\td2\t2\t1e2\ttag\r\nq1 Q0 d3 3 0.5 tag\nq2 Q0 d1 1 -1 tag",
    );
    let run = read_run(&path).unwrap();
    let ids = |query: &str| {
        run.get(query).unwrap().places().iter().map(|place| place.document.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids("q1"), ["d2", "d3", "d1"]);
    assert_eq!(ids("q2"), ["d1"]);
    let (_folder, empty) = file("");
    assert!(read_run(&empty).unwrap().is_empty());
}

#[test]
fn what_would_fool_a_gate_is_refused_with_its_line() {
    let (_folder, path) = file("q Q0 d 1 1 t\nq Q0 e 2 1 t\nq Q0 d 3 9 t\n");
    let expected = TrecProblem::RankedTwice { query: "q".to_owned(), document: "d".to_owned() };
    assert_eq!(problem(read_run(&path)), (3, expected));
    for score in ["NaN", "nan", "-nan", "inf", "-Infinity", "1e999", "one", "1,5", "0x1p3"] {
        let (_folder, path) = file(format!("q Q0 d 1 1 t\n\nq Q0 e 2 {score} t\n"));
        assert_eq!(problem(read_run(&path)), (3, TrecProblem::Score { score: score.to_owned() }));
    }
    for (line, found) in [("q Q0 d 1 1", 5), ("q Q0 d 1 1 t u", 7), ("q", 1)] {
        let (_folder, path) = file(line);
        assert_eq!(problem(read_run(&path)), (1, TrecProblem::FieldCount { expected: 6, found }));
    }
    let (_folder, path) = file(b"q Q0 d 1 1 t\nq Q0 \xFF 1 1 t\n");
    assert_eq!(problem(read_run(&path)), (2, TrecProblem::NotText));
}

#[test]
fn judgments_that_would_fool_a_gate_are_refused() {
    let (_folder, path) = file("q 0 d 1\nq 0 d 0\n");
    let expected = TrecProblem::JudgedTwice { query: "q".to_owned(), document: "d".to_owned() };
    assert_eq!(problem(read_trec_judgments(&path)), (2, expected));
    for grade in ["one", "1.5", "NaN", "99999999999999999999"] {
        let (_folder, path) = file(format!("q 0 d {grade}\n"));
        assert_eq!(problem(read_trec_judgments(&path)), (1, TrecProblem::Grade { grade: grade.to_owned() }));
    }
    let (_folder, path) = file("q 0 d 1\nquery-id\tcorpus-id\tscore\n");
    assert_eq!(problem(read_trec_judgments(&path)), (2, TrecProblem::FieldCount { expected: 4, found: 3 }));
    for content in ["", "\n \n"] {
        let (_folder, path) = file(content);
        assert!(matches!(read_trec_judgments(&path), Err(EvalError::EmptyJudgments { .. })));
    }
    let (_folder, path) = file("q 0 d 0\nq 0 e -1\n");
    let error = read_trec_judgments(&path).unwrap_err();
    assert!(matches!(error, EvalError::NothingRelevant { .. }));
    assert!(error.to_string().contains("file.txt") && error.hint().is_some());
    let missing = path.with_file_name("missing");
    assert!(matches!(read_trec_judgments(&missing), Err(EvalError::Missing { .. })));
}

#[test]
fn nothing_is_written_that_could_not_be_read_back() {
    let (_folder, path) = file("before");
    let place = |document: &str, score| RankedDocument { document: document.to_owned(), score };
    let run = |query: &str, places| BTreeMap::from([(query.to_owned(), Ranking::new(places))]);
    for (run, tag) in [
        (run("q", vec![place("d", 1.0), place("d", 2.0)]), "tag"),
        (run("q", vec![place("d", f64::NAN)]), "tag"),
        (run("q", vec![place("d", f64::INFINITY)]), "tag"),
        (run("q", vec![place("a file.md", 1.0)]), "tag"),
        (run("", vec![place("d", 1.0)]), "tag"),
        (run("q", vec![place("d", 1.0)]), "two words"),
    ] {
        assert!(matches!(write_run(&path, &run, tag), Err(EvalError::NotWritable { .. })));
    }
    let judgments: Judgments = [("q".to_owned(), [("d\n".to_owned(), 1)].into())].into();
    assert!(matches!(write_trec_judgments(&path, &judgments), Err(EvalError::NotWritable { .. })));
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "before");
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof!["[a-e]{1,2}", "[^ \t\r\n\u{c}\u{feff}]{1,12}"]
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(0.5),
        any::<f64>().prop_filter("finite", |score| score.is_finite())
    ]
}

proptest! {
    #[test]
    fn runs_come_back(
        run in prop::collection::btree_map(id(), prop::collection::btree_map(id(), finite(), 1..20), 0..8)
    ) {
        let place = |(document, score)| RankedDocument { document, score };
        let run: BTreeMap<String, Ranking> = run
            .into_iter()
            .map(|(query, scores)| (query, Ranking::new(scores.into_iter().map(place).collect())))
            .collect();
        let (_folder, path) = file("");
        write_run(&path, &run, "tag").unwrap();
        prop_assert_eq!(read_run(&path).unwrap(), run);
    }

    #[test]
    fn judgments_come_back(
        mut judgments in prop::collection::btree_map(
            id(), prop::collection::btree_map(id(), any::<i64>(), 1..20), 0..8)
    ) {
        judgments.insert("q".to_owned(), [("d".to_owned(), 1)].into());
        let (_folder, path) = file("");
        write_trec_judgments(&path, &judgments).unwrap();
        prop_assert_eq!(read_trec_judgments(&path).unwrap(), judgments);
    }

    /// Whatever the bytes: an error or a run of finite scores and no document twice, never a panic.
    #[test]
    fn any_bytes_are_read_or_refused(lines in prop::collection::vec("[ab] Q0 [ab] 1 (1|2|nan|x) t|[ -~]{0,30}", 0..6)) {
        let (_folder, path) = file(lines.join("\n"));
        if let Ok(run) = read_run(&path) {
            for ranking in run.values() {
                let mut ids: Vec<&str> = ranking.places().iter().map(|place| place.document.as_str()).collect();
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), ranking.places().len());
                prop_assert!(ranking.places().iter().all(|place| place.score.is_finite()));
            }
        }
    }
}
