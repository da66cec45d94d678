pub(crate) mod guess;

use adit_core::EncodingReport;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use guess::{UnicodeForm, guess_unicode_form, is_mostly_utf8, suspected_mojibake};

/// How far into a page the declaration of its encoding may stand (WHATWG HTML, 13.2.3.2).
const DECLARATION_BYTES: usize = 1024;

/// Turns a whole file into text: byte order mark, then valid UTF-8, then UTF-16 that is obvious, then
/// what the page declares, then chardetng over all bytes.
pub(crate) fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> (String, EncodingReport) {
    if let Some((form, mark_bytes)) = UnicodeForm::from_byte_order_mark(bytes) {
        return report(form.decode(bytes.get(mark_bytes..).unwrap_or_default()), form.name(), "bom");
    }
    if let Some(form) = guess_unicode_form(bytes) {
        return report(form.decode(bytes), form.name(), "detected");
    }
    let may_be_iso_2022_jp = bytes.contains(&0x1b);
    if !may_be_iso_2022_jp && let Ok(text) = std::str::from_utf8(bytes) {
        return report(text.to_owned(), UTF_8.name(), "utf8");
    }
    if let Some(declared) = declared {
        let (text, had_errors) = declared.decode_without_bom_handling(bytes);
        if !had_errors {
            return report(text.into_owned(), declared.name(), "declared");
        }
    }
    if is_mostly_utf8(bytes) {
        return report(String::from_utf8_lossy(bytes).into_owned(), UTF_8.name(), "detected");
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let source = if encoding == UTF_8 { "utf8" } else { "detected" };
    report(text.into_owned(), encoding.name(), source)
}

/// The encoding a page names in `<meta charset=...>` or its XML declaration.
pub(crate) fn declared_in_html(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes);
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let after = start.split_once("charset=").or_else(|| start.split_once("encoding="))?.1;
    let label = after.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(['"', '\'', ' ', ';', '>', '/', '?']).unwrap_or(label.len());
    let encoding = Encoding::for_label(label.get(..end)?.as_bytes())?;
    // A declaration that could be read byte by byte cannot be in UTF-16.
    (encoding != encoding_rs::UTF_16LE && encoding != encoding_rs::UTF_16BE).then_some(encoding)
}

/// What a person should know about the decoding.
pub(crate) fn warnings(report: &EncodingReport) -> Vec<String> {
    let mut warnings = Vec::new();
    if report.replacement_characters > 0 {
        warnings.push(format!(
            "{} characters were no valid {} and became U+FFFD",
            report.replacement_characters, report.name
        ));
    }
    if report.suspected_mojibake > 0 {
        warnings.push(format!("{} places look like text decoded twice", report.suspected_mojibake));
    }
    warnings
}

fn report(text: String, name: &str, source: &str) -> (String, EncodingReport) {
    let report = EncodingReport {
        name: name.to_owned(),
        source: source.to_owned(),
        replacement_characters: text.matches('\u{fffd}').count() as u64,
        suspected_mojibake: suspected_mojibake(&text),
    };
    (text, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (String, String, String) {
        let (text, report) = decode(bytes, None);
        (text, report.name, report.source)
    }

    #[test]
    fn byte_order_marks_win_and_go() {
        for (bytes, name) in [
            (&b"\xef\xbb\xbfa"[..], "UTF-8"),
            (b"\xff\xfea\0", "UTF-16LE"),
            (b"\xfe\xff\0a", "UTF-16BE"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32LE"),
            (b"\0\0\xfe\xff\0\0\0a", "UTF-32BE"),
        ] {
            assert_eq!(decoded(bytes), ("a".into(), name.into(), "bom".into()));
        }
    }

    #[test]
    fn utf_16_without_a_mark_is_found() {
        let bytes: Vec<u8> = "Grüße aus Köln".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&bytes), ("Grüße aus Köln".into(), "UTF-16LE".into(), "detected".into()));
    }

    #[test]
    fn old_encodings_are_guessed_and_declared() {
        let text = "Der Ölpreis fällt, die Bürger hören für längere Zeit schöne Grüße.";
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(text);
        assert_eq!(decoded(&bytes).0, text);
        let page = b"<meta charset='iso-8859-2'>\xb1";
        let (text, report) = decode(page, declared_in_html(page));
        assert!(text.ends_with('ą'));
        assert_eq!(report.source, "declared");
    }

    #[test]
    fn one_bad_byte_does_not_make_utf_8_something_else() {
        let bytes = ["Größe überall, schöne Grüße äöü ".repeat(9).as_bytes(), b"\xff"].concat();
        let (text, report) = decode(&bytes, None);
        assert!(text.starts_with("Größe"));
        assert_eq!((report.name.as_str(), report.replacement_characters), ("UTF-8", 1));
        assert_eq!(warnings(&report).len(), 1);
    }

    #[test]
    fn text_decoded_twice_is_suspected() {
        assert_eq!(decode("GrÃ¼ÃŸe itâ€™s".as_bytes(), None).1.suspected_mojibake, 2);
        assert_eq!(decode("Grüße, Âge".as_bytes(), None).1.suspected_mojibake, 0);
    }
}
