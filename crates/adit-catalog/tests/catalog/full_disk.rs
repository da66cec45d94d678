use std::path::Path;
use std::process::Command;

use adit_catalog::{Catalog, CatalogError};
use adit_core::{Classified, ErrorClass, ReadScope};

use crate::support::{administrator, fingerprint, version};

/// A file system of 3 MiB, unmounted when dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]).arg(folder).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0).output());
    }
}

#[test]
fn a_full_disk_loses_nothing_and_work_goes_on_when_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path()) else {
        println!("skipped: a small tmpfs cannot be mounted here (needs root)");
        return;
    };
    let path = disk.0.join("catalog.db");
    let ballast = disk.0.join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let catalog = Catalog::create_or_open(&path).unwrap();
    catalog.set_fingerprint(&fingerprint()).unwrap();
    let text = "words that fill the disk one after the other\n".repeat(40);
    let mut acknowledged = Vec::new();
    let error = loop {
        assert!(acknowledged.len() < 1000, "the disk never filled up");
        let source = format!("{:03}.md", acknowledged.len());
        match catalog.commit(version(&source, &text)) {
            Ok(_) => acknowledged.push(source),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, CatalogError::Io { .. }), "{error:?}");
    assert_eq!(error.class(), ErrorClass::World);
    assert!(error.is_retryable() && error.hint().unwrap().contains("space"));
    assert!(!acknowledged.is_empty());

    let sources = |catalog: &Catalog| -> Vec<String> {
        let everybody = administrator();
        let view = catalog.view().unwrap();
        view.documents(ReadScope::Administrator(&everybody))
            .unwrap()
            .into_iter()
            .map(|one| one.source)
            .collect()
    };
    assert_eq!(sources(&catalog), acknowledged, "readable while the disk is full");
    std::fs::remove_file(&ballast).unwrap();
    catalog.commit(version("after.md", &text)).unwrap();
    acknowledged.push("after.md".to_owned());
    drop(catalog);
    let reopened = Catalog::create_or_open(&path).unwrap();
    assert_eq!(sources(&reopened), acknowledged);
    reopened.verify().unwrap();
    drop(reopened);
}
