use adit_catalog::{Catalog, DocumentLink, LinkKind};
use adit_core::DocumentId;
use rusqlite::Connection;

use crate::support::{test_catalog, version};

fn link(target: &str) -> DocumentLink {
    DocumentLink { kind: LinkKind::Path, target: target.to_owned(), occurrences: 1 }
}

fn links(catalog: &Catalog) -> Vec<(DocumentId, String, u32)> {
    let stored = catalog.view().unwrap().links().unwrap();
    stored.into_iter().map(|one| (one.from, one.link.target, one.link.occurrences)).collect()
}

#[test]
fn links_live_and_die_with_their_version() {
    let home = test_catalog();
    let id = version("a.md", "words").id;
    home.commit_with_links(version("a.md", "words"), &[link("b.md"), link("c.md"), link("b.md")]).unwrap();
    assert_eq!(links(&home), [(id.clone(), "b.md".to_owned(), 2), (id.clone(), "c.md".to_owned(), 1)]);

    home.commit_with_links(version("a.md", "other words"), &[link("d.md")]).unwrap();
    assert_eq!(links(&home), [(id.clone(), "d.md".to_owned(), 1)]);
    home.remove(&id).unwrap();
    assert!(links(&home).is_empty());

    let last = home.last_sequence().unwrap();
    home.purge_dead(last).unwrap();
    let stored: i64 = Connection::open(&home.path)
        .unwrap()
        .query_row("SELECT count(*) FROM links", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, 0, "purged with the version");
}

#[test]
fn a_catalog_of_format_1_gets_the_table_when_it_is_opened_for_writing() {
    let home = test_catalog();
    home.commit(version("a.md", "words")).unwrap();
    let path = home.path.clone();
    let crate::support::TestCatalog { catalog, folder, .. } = home;
    drop(catalog);
    let raw = Connection::open(&path).unwrap();
    raw.execute_batch(crate::support::BACK_TO_FORMAT_1).unwrap();
    drop(raw);

    assert!(links(&Catalog::open_read_only(&path).unwrap()).is_empty(), "read as it is");
    let catalog = Catalog::create_or_open(&path).unwrap();
    catalog.commit_with_links(version("b.md", "words"), &[link("a.md")]).unwrap();
    assert_eq!(links(&catalog).len(), 1);
    catalog.verify().unwrap();
    let format: u32 =
        Connection::open(&path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(format, adit_catalog::FORMAT_VERSION);
    drop(folder);
}
