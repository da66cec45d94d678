mod lines;
mod markdown;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};
use pdf_inspector::{
    OCR_REASON_SUSPECTED_GARBLED_TEXT, PagesExtractionResult, PdfError, PdfOptions, PdfProcessResult,
};

use crate::builder::DocumentBuilder;

/// Parses the text layer of a PDF, page by page in reading order.
///
/// Pages without text, and pages whose fonts cannot be decoded, are listed in
/// `coverage.pages_without_text`. A panic of the reader is reported as a damaged file.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    catch_unwind(AssertUnwindSafe(|| parse_pages(bytes)))
        .unwrap_or_else(|panic| Err(damaged(format!("the reader failed: {}", panic_words(panic.as_ref())))))
}

fn parse_pages(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let properties =
        pdf_inspector::process_pdf_mem_with_options(bytes, PdfOptions::detect_only()).map_err(parse_error)?;
    if properties.page_count == 0 {
        return Err(damaged("it has no pages".to_owned()));
    }
    let extraction = pdf_inspector::extract_pages_markdown_mem(bytes, None).map_err(parse_error)?;
    let mut rescued = rescue_pages(bytes, &extraction);
    let mut builder = DocumentBuilder::new();
    let mut empty_pages = Vec::new();
    for page in &extraction.pages {
        let number = page.page + 1;
        builder.set_page(number);
        if !page.markdown.trim().is_empty() {
            markdown::write(&page.markdown, &mut builder);
        } else if let Some(paragraphs) = rescued.remove(&number) {
            paragraphs.iter().for_each(|paragraph| builder.paragraph(paragraph));
            builder.warn(format!("page {number}: the text layer was read line by line; a scan may say more"));
        } else {
            empty_pages.push(number);
        }
    }
    let pages = extraction.pages.len().try_into().unwrap_or(u32::MAX);
    if empty_pages.len() == extraction.pages.len() {
        return Err(ParseError::NoText { pages });
    }
    report_garbled_pages(&extraction, &empty_pages, &mut builder);
    read_properties(&properties, &mut builder);
    let coverage = builder.coverage();
    coverage.pages_in = pages;
    coverage.pages_without_text = empty_pages;
    Ok(builder.finish(MediaType::Pdf))
}

/// Text of pages that the layout analysis gave nothing for although they have a readable text layer,
/// such as scans with an OCR layer.
fn rescue_pages(bytes: &[u8], extraction: &PagesExtractionResult) -> BTreeMap<u32, Vec<String>> {
    let garbled = garbled_pages(extraction);
    let missing: BTreeSet<u32> = extraction
        .pages
        .iter()
        .filter(|page| page.markdown.trim().is_empty())
        .map(|page| page.page + 1)
        .filter(|page| !garbled.contains(page))
        .collect();
    if missing.is_empty() {
        return BTreeMap::new();
    }
    // The pages are reported as empty if this second way fails too.
    match pdf_inspector::extractor::extract_text_with_positions_mem_pages(
        bytes,
        Some(&missing.iter().copied().collect()),
    ) {
        Ok(items) => lines::paragraphs_by_page(items),
        Err(_) => BTreeMap::new(),
    }
}

fn garbled_pages(extraction: &PagesExtractionResult) -> BTreeSet<u32> {
    let is_garbled =
        |reasons: &[String]| reasons.iter().any(|reason| reason == OCR_REASON_SUSPECTED_GARBLED_TEXT);
    let pages = extraction.ocr_reasons_by_page.iter();
    pages.filter(|page| is_garbled(&page.reasons)).map(|page| page.page).collect()
}

fn report_garbled_pages(
    extraction: &PagesExtractionResult,
    empty_pages: &[u32],
    builder: &mut DocumentBuilder,
) {
    let garbled = garbled_pages(extraction);
    for page in empty_pages.iter().filter(|page| garbled.contains(page)) {
        builder.warn(format!(
            "page {page}: its fonts do not say which characters they show, so its text was left out"
        ));
    }
}

fn read_properties(properties: &PdfProcessResult, builder: &mut DocumentBuilder) {
    if let Some(title) = &properties.title {
        builder.set_title(title);
    }
    let pairs = [
        ("author", properties.author.clone()),
        ("subject", properties.subject.clone()),
        ("date", properties.creation_date.as_deref().and_then(iso_date)),
    ];
    for (key, value) in pairs {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            builder.metadata().insert(key.to_owned(), vec![MetadataValue::Text(value.trim().to_owned())]);
        }
    }
    if let Some(keywords) = &properties.keywords {
        let words = keywords.split([',', ';']).map(str::trim).filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(|word| MetadataValue::Text(word.to_owned())).collect();
        if !words.is_empty() {
            builder.metadata().insert("keywords".to_owned(), words);
        }
    }
}

/// The day of a PDF date (`D:20240115103000+01'00'`, ISO 32000-1, 7.9.4).
fn iso_date(date: &str) -> Option<String> {
    let digits = date.trim().strip_prefix("D:").unwrap_or(date);
    let day = digits.get(..8).filter(|day| day.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(format!("{}-{}-{}", day.get(..4)?, day.get(4..6)?, day.get(6..8)?))
}

fn parse_error(error: PdfError) -> ParseError {
    match error {
        PdfError::Encrypted => ParseError::PasswordNeeded,
        other => damaged(other.to_string()),
    }
}

fn damaged(detail: String) -> ParseError {
    ParseError::Damaged { media_type: MediaType::Pdf, detail }
}

/// The message of a caught panic.
pub(crate) fn panic_words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_by_day() {
        assert_eq!(iso_date("D:20240115103000+01'00'").as_deref(), Some("2024-01-15"));
        assert_eq!(iso_date("yesterday"), None);
    }

    #[test]
    fn junk_is_damaged() {
        assert!(matches!(parse(b"%PDF-1.4\njunk"), Err(ParseError::Damaged { .. })));
    }
}
