use std::process::Command;

use adit_catalog::{Catalog, CatalogError, FORMAT_VERSION};
use adit_core::{Classified, ErrorClass, ReadScope, SequenceNumber};
use rusqlite::Connection;

use crate::support::{TestCatalog, administrator, test_catalog, version};

fn filled() -> TestCatalog {
    let catalog = test_catalog();
    for number in 0..20 {
        catalog.commit(version(&format!("{number}.md"), &"some words here\n".repeat(30))).unwrap();
    }
    catalog
}

/// Closes the catalog in order and returns its folder, so that the file can be tampered with.
fn closed(home: TestCatalog) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.db");
    let TestCatalog { catalog, path: from, folder: kept } = home;
    drop(catalog);
    std::fs::copy(from, &path).unwrap();
    drop(kept);
    (folder, path)
}

#[test]
fn a_closed_catalog_opens_again_with_everything() {
    let (_folder, path) = closed(filled());
    let catalog = Catalog::create_or_open(&path).unwrap();
    assert_eq!(catalog.last_sequence().unwrap(), SequenceNumber(20));
    catalog.verify().unwrap();
}

#[test]
fn a_newer_format_and_a_foreign_database_are_refused_untouched() {
    let (folder, path) = closed(filled());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", FORMAT_VERSION + 1).unwrap();
    for error in [Catalog::create_or_open(&path).unwrap_err(), Catalog::open_read_only(&path).unwrap_err()] {
        assert!(matches!(error, CatalogError::NewerFormat { found, .. } if found == FORMAT_VERSION + 1));
        assert_eq!(error.class(), ErrorClass::Refused);
    }

    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .unwrap();
    let before = std::fs::read(&foreign).unwrap();
    assert!(matches!(Catalog::create_or_open(&foreign), Err(CatalogError::NotACatalog { .. })));
    assert_eq!(std::fs::read(&foreign).unwrap(), before);
}

#[test]
fn a_missing_and_a_damaged_file_say_so() {
    let (folder, path) = closed(filled());
    let missing = Catalog::open_read_only(&folder.path().join("none.db")).unwrap_err();
    assert!(matches!(missing, CatalogError::Missing { .. }));
    assert!(missing.hint().unwrap().contains("adit index"));

    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, b"this is no database at all, and long enough to look at".repeat(100)).unwrap();
    assert!(matches!(Catalog::create_or_open(&path), Err(CatalogError::Damaged { .. })));
    // Half of the file is gone.
    std::fs::write(&path, &good[..good.len() / 2]).unwrap();
    let found = Catalog::create_or_open(&path).and_then(|catalog| catalog.verify());
    assert!(matches!(found, Err(CatalogError::Damaged { .. })), "{found:?}");
    // One page of zeros in the middle.
    let mut zeroed = good.clone();
    let middle = zeroed.len() / 2 / 8192 * 8192;
    zeroed[middle..middle + 8192].fill(0);
    std::fs::write(&path, &zeroed).unwrap();
    let found = Catalog::create_or_open(&path).and_then(|catalog| catalog.verify());
    assert!(matches!(found, Err(CatalogError::Damaged { .. })), "{found:?}");
    std::fs::write(&path, &good).unwrap();
    Catalog::create_or_open(&path).unwrap().verify().unwrap();
}

#[test]
fn verify_finds_a_version_that_lost_a_vector() {
    let (_folder, path) = closed(filled());
    Connection::open(&path).unwrap().execute("DELETE FROM vectors WHERE chunk_id = 17", []).unwrap();
    let error = Catalog::create_or_open(&path).unwrap().verify().unwrap_err();
    assert!(error.to_string().contains("lacks chunks or vectors"), "{error}");
}

#[test]
fn a_catalog_for_reading_reads_beside_the_writer_and_refuses_changes() {
    let writer = test_catalog();
    let only_reading = Catalog::open_read_only(&writer.path).unwrap();
    writer.commit(version("a", "words")).unwrap();
    assert_eq!(only_reading.last_sequence().unwrap(), SequenceNumber(1));
    let error = only_reading.commit(version("b", "words")).unwrap_err();
    assert!(matches!(error, CatalogError::ReadOnly));
    assert_eq!(error.class(), ErrorClass::Refused);
}

/// Root may write anywhere, so the test starts itself again as a user who may not.
#[test]
fn a_folder_without_write_permission_can_be_read() {
    const PATH: &str = "ADIT_TEST_READ_ONLY_CATALOG";
    if let Some(path) = std::env::var_os(PATH) {
        let catalog = Catalog::open_read_only(path.as_ref()).unwrap();
        let everybody = administrator();
        let scope = ReadScope::Administrator(&everybody);
        assert_eq!(catalog.view().unwrap().documents(scope).unwrap().len(), 20);
        assert!(matches!(
            Catalog::create_or_open(path.as_ref()),
            Err(CatalogError::Open { .. } | CatalogError::Io { .. })
        ));
        println!("read as another user");
        return;
    }
    let (folder, path) = closed(filled());
    let program = folder.path().join("test-program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let run =
        |script: &str| Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().unwrap();
    if !run("chmod 755 . test-program && chmod 444 catalog.db && setpriv --reuid=65534 --clear-groups true")
        .status
        .success()
    {
        println!("skipped: `setpriv` cannot change the user here (needs root)");
        return;
    }
    let mut child = Command::new("setpriv");
    child.args(["--reuid=65534", "--clear-groups"]).arg(&program);
    child.args(["--exact", "opening::a_folder_without_write_permission_can_be_read", "--nocapture"]);
    let output = child.env(PATH, &path).current_dir("/").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        printed.contains("read as another user"),
        "{printed}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
