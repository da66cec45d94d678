use std::path::{Path, PathBuf};

use adit_core::{Classified, Filter, IndexError};
use adit_index::SearchIndex;
use adit_testkit::{CorpusSettings, corpus, random_scope, random_unit_vector};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::support::{DIMENSION, Home, Model, assert_equal_to_model, small_options};

/// Every derived file, but for lock files: they hold nothing.
pub(crate) fn derived_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "lock") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Deletes it, flips a bit in its middle, or cuts it in half.
pub(crate) fn damage_file(file: &Path, kind: u32) {
    let mut bytes = fs_err::read(file).unwrap();
    match kind {
        0 => return fs_err::remove_file(file).unwrap(),
        1 if !bytes.is_empty() => {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
        }
        _ => bytes.truncate(bytes.len() / 2),
    }
    fs_err::write(file, bytes).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    if to.exists() {
        fs_err::remove_dir_all(to).unwrap();
    }
    for file in derived_files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs_err::create_dir_all(target.parent().unwrap()).unwrap();
        fs_err::copy(&file, target).unwrap();
    }
}

#[test]
fn every_damaged_file_is_noticed_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let mut model = Model::default();
    let settings = CorpusSettings { documents: 40, dimension: DIMENSION, ..CorpusSettings::default() };
    let documents = corpus(&settings);
    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    for (number, document) in documents.iter().enumerate() {
        model.commit(&catalog, document);
        if number % 15 == 14 {
            index.catch_up().unwrap();
            index.wait_for_merges().unwrap();
        }
    }
    index.catch_up().unwrap();
    assert!(index.statistics().segments > 0, "{:?}", index.statistics());
    drop(index);
    let pristine = folder.path().join("pristine");
    copy_folder(&home.collection(), &pristine);
    let files = derived_files(&pristine);
    assert!(files.len() > 4, "{files:?}");
    let naive = model.index();
    for file in files {
        let relative = file.strip_prefix(&pristine).unwrap();
        for kind in 0..3 {
            copy_folder(&pristine, &home.collection());
            let case = format!("{} kind {kind}", relative.display());
            damage_file(&home.collection().join(relative), kind);
            let index =
                SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
            assert_eq!(index.verify(), [], "{case}");
            let random = &mut StdRng::seed_from_u64(5);
            for document in documents.iter().take(5) {
                let words: Vec<&str> = document.text.split_whitespace().take(3).collect();
                let vector = random_unit_vector(random, DIMENSION);
                let scope = random_scope(random, 2, 4);
                let filter = Filter::default();
                assert_equal_to_model(&index.snapshot(), &naive, &scope, &filter, &words.join(" "), &vector);
            }
            // Bookkeeping of tantivy (which files it may delete) does not enter any result.
            if !relative.ends_with(".managed.json") {
                assert!(!index.notices().is_empty(), "{case} went unnoticed");
            }
        }
    }
}

#[test]
fn a_reader_says_what_is_damaged_and_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let error = SearchIndex::open_reader(&home.collection(), catalog.clone(), small_options()).unwrap_err();
    assert!(matches!(&error, IndexError::Damaged { .. }), "{error}");
    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    for document in corpus(&CorpusSettings { dimension: DIMENSION, ..CorpusSettings::default() }) {
        catalog.commit(crate::support::new_version(&document)).unwrap();
    }
    index.catch_up().unwrap();
    index.wait_for_merges().unwrap();
    drop(index);
    for file in derived_files(&home.collection()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name == "manifest.json" {
            damage_file(&file, 1);
            let error =
                SearchIndex::open_reader(&home.collection(), catalog.clone(), small_options()).unwrap_err();
            assert!(error.hint().unwrap().contains("adit rebuild"), "{error}");
        }
    }
}

#[test]
fn leftovers_of_a_killed_process_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    drop(SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap());
    let generations = home.collection().join("generations");
    for leftover in ["000001/vectors/000099.seg", "000001/manifest.json.unfinished", "000777/lexical/x"] {
        let path = generations.join(leftover);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "left over").unwrap();
    }
    let index = SearchIndex::open_writer(&home.collection(), catalog, small_options()).unwrap();
    for leftover in ["000001/vectors/000099.seg", "000001/manifest.json.unfinished", "000777"] {
        assert!(!generations.join(leftover).exists(), "{leftover}");
    }
    assert_eq!(index.notices(), Vec::<String>::new());
}
