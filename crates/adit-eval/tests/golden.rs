//! Golden sets as files: what is read, what is refused, and how a set is checked and parted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;

use adit_eval::golden::{SplitSettings, check_golden, split_golden};
use adit_eval::{EvalError, GoldenItem, GoldenSet, GoldenSpan};

fn examples() -> GoldenSet {
    GoldenSet::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/examples.jsonl")).unwrap()
}

fn read(content: &str) -> Result<GoldenSet, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("golden.jsonl");
    fs_err::write(&path, content).unwrap();
    GoldenSet::read(&path)
}

fn item(id: &str, question: &str, sources: &[&str]) -> GoldenItem {
    GoldenItem {
        id: id.to_owned(),
        question: question.to_owned(),
        spans: sources.iter().map(|source| GoldenSpan::quoted(source, "a quote")).collect(),
        category: None,
        answerable: !sources.is_empty(),
        expected_answer: None,
    }
}

#[test]
fn the_example_set_reads_as_shorthand_and_comes_back_the_same() {
    let set = examples();
    assert_eq!(set.items.len(), 35);
    assert_eq!(set.items.iter().filter(|item| item.answerable).count(), 30);
    assert_eq!(set.items[0].spans[0].source, "people/time-off.md");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.jsonl");
    set.write(&path).unwrap();
    assert_eq!(GoldenSet::read(&path).unwrap(), set);
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1, "a part was left behind");
}

#[test]
fn ids_do_not_depend_on_the_line_or_the_category() {
    let line = r#"{"question": "a?", "source": "x.md", "quote": "q"}"#;
    let first = read(line).unwrap().items.remove(0);
    let later =
        read(&format!("{{\"question\":\"b?\",\"answerable\":false}}\n\n{line}\n")).unwrap().items.remove(1);
    assert_eq!(first, later);
    let other = read(r#"{"question": "a?", "source": "y.md"}"#).unwrap().items.remove(0);
    assert_ne!(first.id, other.id);
    let full = r#"{"question": "a?", "spans": [{"source": "x.md", "quote": "q"}], "category": "c"}"#;
    assert_eq!(read(full).unwrap().items[0].id, first.id);
}

#[test]
fn refuses_with_file_and_line_what_could_mislead() {
    let good = r#"{"id": "one", "question": "a?", "source": "x.md"}"#;
    for (bad, said) in [
        ("{\"question\": \"a?\"", "EOF"),
        (r#"{"question": "a?", "source": "x.md", "sauce": 1}"#, "unknown field `sauce`"),
        (r#"{"question": "a?", "spans": [{"source": "x.md", "page": 2}]}"#, "unknown field `page`"),
        (r#"{"id": "one", "question": "b?", "source": "x.md"}"#, "already on line 1"),
        (r#"{"question": "a?"}"#, "needs a `source`"),
        (r#"{"question": "a?", "spans": [], "answerable": true}"#, "needs a `source`"),
        (r#"{"question": "a?", "source": "x.md", "answerable": false}"#, "cannot be"),
        (r#"{"question": "  ", "source": "x.md"}"#, "question is empty"),
        (r#"{"question": "a?", "quote": "q", "answerable": false}"#, "needs the `source`"),
        (r#"{"question": "a?", "source": "x.md", "quote": " "}"#, "empty `quote`"),
        (r#"{"question": "a?", "source": "x.md", "char_start": 3}"#, "both or neither"),
        (r#"{"question": "a?", "source": "x.md", "char_start": 3, "char_end": 3}"#, "not before"),
        (r#"{"question": "a?", "source": "x.md", "spans": []}"#, "use one of them"),
        (r#"{"source": "x.md"}"#, "missing field `question`"),
        ("[]", "invalid"),
    ] {
        let error = read(&format!("{good}\n\n{bad}\n")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("golden.jsonl, line 3") && text.contains(said), "{bad}: {text}");
        assert!(matches!(error, EvalError::Golden { line_number: 3, .. }));
    }
    let error = GoldenSet::read(Path::new("nowhere/golden.jsonl")).unwrap_err();
    assert!(matches!(error, EvalError::NoGoldenSet { .. }));
}

#[test]
fn a_refused_set_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("golden.jsonl");
    GoldenSet { items: vec![item("a", "a?", &["x.md"])] }.write(&path).unwrap();
    let before = fs_err::read(&path).unwrap();
    let twice = GoldenSet { items: vec![item("a", "a?", &["x.md"]), item("a", "b?", &["x.md"])] };
    assert!(matches!(twice.write(&path), Err(EvalError::Golden { line_number: 2, .. })));
    let empty = GoldenSet { items: vec![item("b", " ", &["x.md"])] };
    assert!(empty.write(&path).is_err());
    assert!(twice.write(&folder.path().join("no/such/folder.jsonl")).is_err());
    assert_eq!(fs_err::read(&path).unwrap(), before);
}

#[test]
fn a_check_names_what_moved_what_is_gone_and_what_is_asked_twice() {
    let mut set = GoldenSet {
        items: vec![
            item("here", "Where is it?", &["a.md"]),
            item("twice", "where  is IT", &["b.md"]),
            item("changed", "q3", &["c.md"]),
            item("gone", "q4", &["d.md"]),
            item("unknown", "q5", &["e.md"]),
            item("none", "q6", &[]),
        ],
    };
    for item in &mut set.items {
        item.category = item.answerable.then(|| "plain".to_owned());
        for span in &mut item.spans {
            span.quote = Some("The ovens cool slowly after a shift.".to_owned());
        }
    }
    let texts = BTreeMap::from([
        ("a.md", "x The ovens\n cool slowly after a shift."),
        ("b.md", "The ovens cool slowly after a shift. The ovens cool slowly after a shift."),
        ("c.md", "The ovens cool slowly after each shift."),
        ("d.md", "Nothing of the kind stands here, as anybody can see."),
    ]);
    let mut asked = Vec::new();
    let report = check_golden(&set, &mut |source| -> Result<_, Infallible> {
        asked.push(source.to_owned());
        Ok(texts.get(source).map(|text| (*text).to_owned()))
    })
    .unwrap();
    assert_eq!(asked, ["a.md", "b.md", "c.md", "d.md", "e.md"]);
    assert_eq!((report.items, report.spans, report.exact), (6, 5, 2));
    let ids = |findings: &[adit_eval::golden::SpanFinding]| -> Vec<String> {
        findings.iter().map(|finding| finding.id.clone()).collect()
    };
    assert_eq!(ids(&report.moved), ["changed"]);
    assert_eq!(ids(&report.not_placed), ["gone"]);
    assert_eq!(ids(&report.unknown_sources), ["unknown"]);
    assert_eq!(ids(&report.ambiguous), ["twice"]);
    assert_eq!(report.duplicate_questions, [["here", "twice"]]);
    assert!(!report.is_placed());
    assert_eq!((report.categories["plain"].items, report.categories[""].answerable), (5, 0));
    assert!((report.unanswerable_share - 1.0 / 6.0).abs() < 1e-12);
    let failing = check_golden(&set, &mut |_| Err("disk"));
    assert_eq!(failing.unwrap_err(), "disk");
}

#[test]
fn a_split_is_the_same_whatever_the_order_and_keeps_near_its_shares() {
    let items: Vec<GoldenItem> =
        (0..2000).map(|number| item(&number.to_string(), "q", &[&format!("{}.md", number / 4)])).collect();
    let set = GoldenSet { items };
    let settings = SplitSettings::default();
    let split = split_golden(&set, &settings);
    let sizes = [&split.train, &split.dev, &split.test].map(|part| part.items.len());
    assert_eq!(sizes.iter().sum::<usize>(), 2000);
    // Binomial: four standard deviations are 88 and 72.
    assert!(sizes[0].abs_diff(1200) < 88 && sizes[1].abs_diff(400) < 72, "{sizes:?}");
    let mut reversed = set.clone();
    reversed.items.reverse();
    let ids = |set: &GoldenSet| set.items.iter().map(|item| item.id.clone()).collect::<BTreeSet<_>>();
    let again = split_golden(&reversed, &settings);
    assert_eq!(ids(&split.train), ids(&again.train));
    assert_eq!(ids(&split.dev), ids(&again.dev));
    assert_ne!(ids(&split.dev), ids(&split_golden(&set, &SplitSettings { seed: 1, ..settings }).dev));
}

#[test]
fn document_disjoint_parts_share_no_document() {
    let mut items: Vec<GoldenItem> = (0..400)
        .map(|number| {
            let (one, other) = (format!("{}.md", number % 90), format!("{}.md", (number % 90) / 3 * 3));
            item(&number.to_string(), "q", &[&one, &other])
        })
        .collect();
    items.push(item("none", "q", &[]));
    let set = GoldenSet { items };
    let settings = SplitSettings { document_disjoint: true, ..SplitSettings::default() };
    let split = split_golden(&set, &settings);
    let sources = |set: &GoldenSet| -> BTreeSet<String> {
        set.items.iter().flat_map(|item| &item.spans).map(|span| span.source.clone()).collect()
    };
    let parts = [sources(&split.train), sources(&split.dev), sources(&split.test)];
    assert!(parts.iter().all(|part| !part.is_empty()));
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        assert!(parts[one].is_disjoint(&parts[other]));
    }
    let total: usize = [&split.train, &split.dev, &split.test].iter().map(|part| part.items.len()).sum();
    assert_eq!(total, 401);
}
