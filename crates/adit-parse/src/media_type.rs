use adit_core::{MediaType, SourceFile};

use crate::container::{is_mbox, is_packed_files};
use crate::encoding::guess::{UnicodeForm, guess_unicode_form};
use crate::package::{is_encrypted_office, kind_of_package};
use crate::{chat, compound};

const SAMPLE_BYTES: usize = 64 << 10;

/// First bytes of formats that nothing here reads, with their names; ZIP and old Office files that hold a
/// document are told apart before.
const BINARY_SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "a media file"),
    (b"OggS", "a media file"),
    (b"ID3", "a media file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%!PS-", "a PostScript document"),
];

/// Decides what a file is by its content first and by the ending of its name second.
#[must_use]
pub fn detect_media_type(file: SourceFile<'_>) -> MediaType {
    let start = after_mark_and_space(file.bytes);
    let by_name = media_type_of_name(file.name);
    if start.starts_with(b"%PDF-") {
        return MediaType::Pdf;
    }
    if let Some(media_type) = office_type(file, start, by_name) {
        return media_type;
    }
    if is_packed_files(file.bytes) {
        return MediaType::Archive;
    }
    if is_image(file.bytes) {
        return MediaType::Image;
    }
    if BINARY_SIGNATURES.iter().any(|(signature, _)| file.bytes.starts_with(signature)) {
        return MediaType::Unknown;
    }
    if is_binary(file.bytes) || by_name == Some(MediaType::Pdf) {
        // Readers accept a PDF header within the first 1024 bytes (ISO 32000-1, Annex H, note 13).
        let head = file.bytes.get(..1024).unwrap_or(file.bytes);
        let has_header = head.windows(5).any(|window| window == b"%PDF-");
        return if has_header || by_name == Some(MediaType::Pdf) {
            MediaType::Pdf
        } else {
            MediaType::Unknown
        };
    }
    if is_html(start) {
        return MediaType::Html;
    }
    match by_name {
        Some(named @ (MediaType::PlainText | MediaType::Code)) => {
            type_that_content_shows(start).unwrap_or(named)
        }
        Some(MediaType::Mbox) => type_that_content_shows(start).unwrap_or(MediaType::PlainText),
        Some(MediaType::Json) if chat::is_slack_export(start) => MediaType::Chat,
        Some(named) => named,
        None => type_that_content_shows(start).unwrap_or_else(|| media_type_of_text(start)),
    }
}

/// Office documents and books by their content; an encrypted one goes to the reader that says so.
fn office_type(file: SourceFile<'_>, start: &[u8], by_name: Option<MediaType>) -> Option<MediaType> {
    const OLD_OFFICE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    if start.starts_with(b"{\\rtf") {
        return Some(MediaType::Rtf);
    }
    if file.bytes.starts_with(b"PK\x03\x04") {
        // A package that is cut off no longer shows what it is: its reader says that it is damaged.
        return kind_of_package(file.bytes).or_else(|| package_type_of_name(file.name));
    }
    if file.bytes.starts_with(OLD_OFFICE) {
        return match compound::kind(file.bytes) {
            Some(kind) => Some(kind),
            None if by_name == Some(MediaType::Spreadsheet) => by_name,
            None if is_encrypted_office(file.bytes) => Some(MediaType::Docx),
            // Cut off, so that its content no longer shows: its reader says that it is damaged.
            None => old_office_type_of_name(file.name),
        };
    }
    None
}

fn package_type_of_name(name: &str) -> Option<MediaType> {
    match extension(name)?.as_str() {
        "docx" | "docm" => Some(MediaType::Docx),
        "pptx" | "pptm" => Some(MediaType::Pptx),
        "xlsx" | "xlsm" | "ods" => Some(MediaType::Spreadsheet),
        "odt" => Some(MediaType::Odt),
        "odp" => Some(MediaType::Odp),
        "epub" => Some(MediaType::Epub),
        _ => None,
    }
}

fn old_office_type_of_name(name: &str) -> Option<MediaType> {
    match extension(name)?.as_str() {
        "doc" | "dot" => Some(MediaType::Doc),
        "ppt" | "pps" => Some(MediaType::Ppt),
        "xls" => Some(MediaType::Spreadsheet),
        "msg" => Some(MediaType::Outlook),
        _ => None,
    }
}

/// Pictures that text recognition reads.
fn is_image(bytes: &[u8]) -> bool {
    let starts = |mark: &[u8]| bytes.starts_with(mark);
    starts(b"\x89PNG\r\n\x1a\n")
        || starts(b"\xff\xd8\xff")
        || starts(b"GIF8")
        || starts(b"II*\0")
        || starts(b"MM\0*")
        || (starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"))
}

/// Formats whose first line gives them away, whatever the file is called.
fn type_that_content_shows(start: &[u8]) -> Option<MediaType> {
    if start.starts_with(b"WEBVTT") {
        return Some(MediaType::Subtitles);
    }
    if is_mbox(start) {
        return Some(MediaType::Mbox);
    }
    if chat::is_text_log(start) {
        return Some(MediaType::Chat);
    }
    let head = String::from_utf8_lossy(start.get(..4096).unwrap_or(start)).into_owned();
    let headers: Vec<&str> = head.lines().take_while(|line| !line.trim().is_empty()).collect();
    let has = |name: &str| {
        headers.iter().any(|line| line.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))
    };
    let is_mail =
        has("from:") && (has("subject:") || has("message-id:")) && (has("date:") || has("received:"));
    is_mail.then_some(MediaType::Email)
}

/// Names binary bytes for an error message.
pub(crate) fn describe_binary(bytes: &[u8]) -> String {
    let known = BINARY_SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature));
    known.map_or("binary data", |(_, name)| name).to_owned()
}

/// The language of source code by the ending of its name, in the names fences use.
pub(crate) fn language_of_name(name: &str) -> Option<&'static str> {
    Some(match extension(name)?.as_str() {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "tsx" => "typescript",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "scala" => "scala",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" | "hh" => "cpp",
        "cs" => "csharp",
        "rb" => "ruby",
        "php" => "php",
        "swift" => "swift",
        "sh" | "bash" | "zsh" => "bash",
        "ps1" => "powershell",
        "sql" => "sql",
        "r" => "r",
        "lua" => "lua",
        "pl" | "pm" => "perl",
        "hs" => "haskell",
        "ex" | "exs" => "elixir",
        "erl" => "erlang",
        "clj" => "clojure",
        "zig" => "zig",
        "dart" => "dart",
        "css" | "scss" => "css",
        "json" | "jsonl" | "ndjson" => "json",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "xml" | "xsd" => "xml",
        "proto" => "protobuf",
        "graphql" => "graphql",
        "tf" => "hcl",
        "ini" | "cfg" | "conf" => "ini",
        _ => return None,
    })
}

fn media_type_of_name(name: &str) -> Option<MediaType> {
    match extension(name)?.as_str() {
        "md" | "markdown" | "mdx" | "mkd" => Some(MediaType::Markdown),
        "html" | "htm" | "xhtml" => Some(MediaType::Html),
        "txt" | "text" | "log" => Some(MediaType::PlainText),
        "rst" => Some(MediaType::RestructuredText),
        "adoc" | "asciidoc" => Some(MediaType::Asciidoc),
        "org" => Some(MediaType::Org),
        "eml" => Some(MediaType::Email),
        "mbox" | "mbx" => Some(MediaType::Mbox),
        "json" | "jsonl" | "ndjson" => Some(MediaType::Json),
        "xml" => Some(MediaType::Xml),
        "ipynb" => Some(MediaType::Notebook),
        "vtt" | "srt" => Some(MediaType::Subtitles),
        "xls" | "xlsx" | "xlsm" | "ods" => Some(MediaType::Spreadsheet),
        "csv" | "tsv" | "tab" => Some(MediaType::Csv),
        "pdf" => Some(MediaType::Pdf),
        _ => language_of_name(name).map(|_| MediaType::Code),
    }
}

fn extension(name: &str) -> Option<String> {
    let file = name.rsplit(['/', '\\']).next()?;
    let (_, extension) = file.rsplit_once('.')?;
    (extension.len() <= 10).then(|| extension.to_ascii_lowercase())
}

fn after_mark_and_space(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

/// The first characters in lower case; UTF-16 is read by leaving its zero bytes out.
fn lower_case_start(start: &[u8]) -> String {
    let without_mark =
        start.strip_prefix(b"\xff\xfe").or_else(|| start.strip_prefix(b"\xfe\xff")).unwrap_or(start);
    let letters = without_mark.iter().filter(|byte| **byte != 0).take(2048);
    letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

fn is_html(start: &[u8]) -> bool {
    let text = lower_case_start(start);
    let mut rest = text.trim_start();
    // Comments may stand before the doctype.
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        rest = after.trim_start();
    }
    let begins = ["<!doctype html", "<html", "<head>", "<body"].iter().any(|tag| rest.starts_with(tag));
    begins || (rest.starts_with("<?xml") && rest.contains("<html"))
}

fn is_binary(bytes: &[u8]) -> bool {
    if UnicodeForm::from_byte_order_mark(bytes).is_some() || guess_unicode_form(bytes).is_some() {
        return false;
    }
    let sample = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
    let strange =
        sample.iter().filter(|byte| matches!(byte, 1..=7 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    let zeros = sample.iter().filter(|byte| **byte == 0).count();
    // A stray zero in a long log does not make it binary.
    zeros * 1000 > sample.len() || strange * 50 > sample.len()
}

fn media_type_of_text(start: &[u8]) -> MediaType {
    if start.starts_with(b"#!") {
        return MediaType::Code;
    }
    let sample = String::from_utf8_lossy(start.get(..8192).unwrap_or(start)).into_owned();
    let is_heading = |line: &str| {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        (1..=6).contains(&level) && words.starts_with(' ')
    };
    let headings = sample.lines().filter(|line| is_heading(line)).count();
    let is_marked =
        sample.contains("](") || sample.contains("```") || sample.lines().any(|line| line.starts_with("## "));
    if headings > 0 && is_marked { MediaType::Markdown } else { MediaType::PlainText }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_before_the_name() {
        for (name, bytes, expected) in [
            ("a.md", &b"%PDF-1.7"[..], MediaType::Pdf),
            ("a.txt", b"\xef\xbb\xbf <!DOCTYPE html><p>", MediaType::Html),
            ("a", b"<!-- x --><html>", MediaType::Html),
            ("page.txt", b"\xff\xfe<\0h\0t\0m\0l\0>\0", MediaType::Html),
            ("a.pdf", b"no pdf at all", MediaType::Pdf),
            ("a.csv", b"a,b\n1,2", MediaType::Csv),
            ("x/y.RS", b"fn main() {}", MediaType::Code),
            ("README", b"# Title\n\n## Part\n", MediaType::Markdown),
            ("LICENSE", b"Copyright", MediaType::PlainText),
            ("run", b"#!/bin/sh\n", MediaType::Code),
            ("a.txt", b"\x00\x01\x02\x03binary\x00\x00", MediaType::Unknown),
            ("a.md", b"PK\x03\x04rest", MediaType::Archive),
            ("a.txt", b"\x1f\x8b\x08\0", MediaType::Archive),
            ("a.txt", b"\xff\xd8\xff\xe0", MediaType::Image),
            ("a.txt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", MediaType::Unknown),
            ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", MediaType::Doc),
            ("a.md", b"the %PDF-1.4 header", MediaType::Markdown),
        ] {
            assert_eq!(detect_media_type(SourceFile { name, bytes }), expected, "{name} {bytes:?}");
        }
    }
}
