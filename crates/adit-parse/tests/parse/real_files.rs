use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use adit_core::{ParseError, ParsedDocument, Parser, SourceFile};
use adit_parse::DocumentParser;

use crate::invariants;

/// The folder `docs` of the shared data, which is not part of the repository.
fn documents_folder() -> Option<PathBuf> {
    let beside_repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("ADIT_SHARED_DATA").map_or(beside_repository, PathBuf::from);
    let folder = data.join("docs");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the shared data is not here (ADIT_SHARED_DATA or shared/data beside the repository)");
    None
}

fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files_under(&path, found) } else { found.push(path) }
    }
    found.sort();
}

fn parse_file(path: &Path) -> Result<ParsedDocument, ParseError> {
    let bytes = fs_err::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    DocumentParser::default().parse(SourceFile { name: &name, bytes: &bytes })
}

fn outcome(result: &Result<ParsedDocument, ParseError>) -> String {
    match result {
        Ok(document) if document.coverage.pages_without_text.is_empty() => {
            format!("{}: whole", document.media_type)
        }
        Ok(document) => format!("{}: partial", document.media_type),
        Err(error) => serde_json::to_value(error).unwrap()["kind"].as_str().unwrap().to_owned(),
    }
}

/// Parses every file of `kind` and prints how many came out how.
fn parse_all(kind: &str) {
    let Some(folder) = documents_folder() else { return };
    let mut files = Vec::new();
    files_under(&folder.join(kind), &mut files);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in &files {
        let result = catch_unwind(AssertUnwindSafe(|| parse_file(path)));
        let result = result.unwrap_or_else(|_| panic!("{} made the parser panic", path.display()));
        if let Ok(document) = &result {
            invariants::check(document);
            assert!(!document.text.trim().is_empty(), "{} is an empty success", path.display());
        } else if let Err(error) = &result {
            println!("{}: {error}", path.display());
        }
        *counts.entry(outcome(&result)).or_default() += 1;
    }
    println!("{kind}: {} files: {counts:?}", files.len());
    assert!(!files.is_empty());
}

#[test]
fn html_files_parse() {
    parse_all("html");
}

#[test]
fn markdown_files_parse() {
    parse_all("markdown-odd");
}

#[test]
fn text_files_of_every_encoding_parse() {
    parse_all("text");
}

#[test]
fn pdf_files_parse() {
    parse_all("pdf");
}

#[test]
fn office_files_are_typed_errors() {
    parse_all("office");
}

#[test]
fn files_that_need_a_password_say_so() {
    let Some(folder) = documents_folder() else { return };
    let file =
        folder.join("pdf/pypdf-sample-files/005-libreoffice-writer-password/libreoffice-writer-password.pdf");
    assert_eq!(parse_file(&file), Err(ParseError::PasswordNeeded));
}

/// The text of a PDF of the pypdf samples with white space as single spaces.
fn pdf_words(path: &str) -> Option<String> {
    let file = documents_folder()?.join("pdf").join(path);
    Some(parse_file(&file).unwrap().text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn ligatures_are_expanded() {
    let Some(words) = pdf_words("unstructured/layout-parser-paper-fast.pdf") else { return };
    assert!(!words.contains('\u{fb01}') && !words.contains('\u{fb03}'));
}

#[test]
fn arabic_is_in_logical_order() {
    let Some(words) = pdf_words("docling/sources/right_to_left_01.pdf") else { return };
    assert!(words.starts_with("تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R"));
}

#[test]
fn columns_are_read_one_after_the_other() {
    let Some(words) = pdf_words("pypdf-sample-files/026-latex-multicolumn/multicolumn.pdf") else { return };
    assert!(words.contains("consectetuer adipiscing elit. Ut purus elit, vestibulum ut, placerat ac"));
}
