use adit_catalog::{Catalog, FORMAT_VERSION};
use adit_core::{FindingKind, ReadScope, TextFinding, TextRange};
use rusqlite::Connection;

use crate::support::{administrator, test_catalog, version};

fn finding(start: usize, end: usize) -> TextFinding {
    TextFinding {
        kind: FindingKind::NotDisplayed,
        range: TextRange::new(start, end),
        excerpt: "hidden".to_owned(),
    }
}

fn warnings(catalog: &Catalog, source: &str) -> Vec<usize> {
    let administrator = administrator();
    let view = catalog.view().unwrap();
    let scope = ReadScope::Administrator(&administrator);
    let id = version(source, "").id;
    view.chunks_of(&id, scope).unwrap().iter().map(|chunk| chunk.warnings.len()).collect()
}

#[test]
fn a_chunk_knows_the_findings_it_shows() {
    let catalog = test_catalog();
    let mut document = version("a.md", "header\nline one\nline two\nline three\n");
    // In the second line only, and over the end of the third into the fourth.
    document.coverage.findings = vec![finding(8, 10), finding(22, 26)];
    catalog.commit(document).unwrap();
    assert_eq!(warnings(&catalog, "a.md"), [0, 1, 1, 1]);
    catalog.verify().unwrap();
}

#[test]
fn a_finding_in_a_repeated_header_is_shown_by_every_chunk_that_repeats_it() {
    let catalog = test_catalog();
    let mut document = version("a.md", "header\nline one\nline two\n");
    document.coverage.findings = vec![finding(0, 3)];
    catalog.commit(document).unwrap();
    assert_eq!(warnings(&catalog, "a.md"), [1, 1, 1]);
}

#[test]
fn a_catalog_of_the_first_format_opens_and_is_brought_up_to_date_by_a_writer() {
    let catalog = test_catalog();
    catalog.commit(version("old.md", "header\nold words\n")).unwrap();
    let crate::support::TestCatalog { catalog, path, folder } = catalog;
    drop(catalog);
    Connection::open(&path).unwrap().execute_batch(crate::support::BACK_TO_FORMAT_1).unwrap();

    let reader = Catalog::open_read_only(&path).unwrap();
    assert_eq!(warnings(&reader, "old.md"), [0, 0]);

    let writer = Catalog::create_or_open(&path).unwrap();
    let mut document = version("late.md", "header\nlate words\n");
    document.coverage.findings = vec![finding(8, 10)];
    writer.commit(document).unwrap();
    writer.verify().unwrap();
    // The reader that was open all the while sees both.
    assert_eq!((warnings(&reader, "old.md"), warnings(&reader, "late.md")), (vec![0, 0], vec![0, 1]));
    let found: u32 =
        Connection::open(&path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(found, FORMAT_VERSION);
    drop(folder);
}
