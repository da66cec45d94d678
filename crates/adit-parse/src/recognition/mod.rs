//! Words in pictures, through programs that are installed or not: `tesseract` reads a picture, `pdftoppm`
//! turns a page of a PDF into one. Both run as processes of their own under a time limit.

mod page_text;
mod programs;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::findings;
use crate::media_type::describe_binary;
use programs::Programs;

/// How pictures are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecognitionSettings {
    /// Whether pictures are read at all.
    pub enabled: bool,
    /// `tesseract`, by name or path.
    pub recognition_program: String,
    /// `pdftoppm`, by name or path.
    pub rendering_program: String,
    /// Languages as `tesseract -l` takes them, such as `eng+deu`.
    pub languages: String,
    /// Wall time for one page and program, in milliseconds.
    pub page_timeout_ms: u64,
    /// Most pages of one file that are read this way.
    pub max_pages: usize,
    /// Dots per inch of a rendered page.
    pub resolution_dpi: u32,
}

impl Default for RecognitionSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            recognition_program: "tesseract".to_owned(),
            rendering_program: "pdftoppm".to_owned(),
            languages: "eng".to_owned(),
            page_timeout_ms: 60_000,
            max_pages: 200,
            resolution_dpi: 200,
        }
    }
}

/// Reads pictures with what is installed.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextRecognition {
    programs: Programs,
}

impl TextRecognition {
    pub(crate) fn new(settings: RecognitionSettings) -> Self {
        Self { programs: Programs::new(settings) }
    }

    /// Reads a picture as a document of one page.
    ///
    /// # Errors
    /// [`ParseError::NeedsOcr`] where nothing reads it, [`ParseError::NoText`] if there are no words in
    /// it, [`ParseError::TimedOut`] and [`ParseError::Damaged`].
    pub(crate) fn read_image(&self, bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
        let version = self
            .programs
            .recognition_version()
            .map_err(|detail| ParseError::NeedsOcr { what: describe_binary(bytes), detail })?;
        let text = self.programs.recognise(bytes, MediaType::Image)?;
        let paragraphs = page_text::paragraphs(&text);
        if paragraphs.is_empty() {
            return Err(ParseError::NoText { pages: 1 });
        }
        let mut builder = DocumentBuilder::new();
        builder.set_page(1);
        paragraphs.iter().for_each(|paragraph| builder.paragraph(paragraph));
        builder.coverage().pages_in = 1;
        builder.coverage().bytes_in = bytes.len() as u64;
        let mut document = builder.finish(MediaType::Image);
        record(&version, 1, &mut document);
        findings::find(&mut document);
        Ok(document)
    }

    /// Reads the pages of a PDF that have no text layer, if that can be done. What cannot is said in the
    /// document's coverage, or stays the error it was.
    pub(crate) fn complete_pdf(
        &self,
        bytes: &[u8],
        parsed: Result<ParsedDocument, ParseError>,
    ) -> Result<ParsedDocument, ParseError> {
        match parsed {
            Ok(document) if document.coverage.pages_without_text.is_empty() => Ok(document),
            Ok(document) => Ok(self.complete_pages(bytes, document)),
            Err(ParseError::NoText { pages }) => {
                let mut document = DocumentBuilder::new().finish(MediaType::Pdf);
                document.coverage.pages_in = pages;
                document.coverage.bytes_in = bytes.len() as u64;
                document.coverage.pages_without_text = (1..=pages).collect();
                let document = self.complete_pages(bytes, document);
                if document.text.is_empty() { Err(ParseError::NoText { pages }) } else { Ok(document) }
            }
            Err(error) => Err(error),
        }
    }

    fn complete_pages(&self, bytes: &[u8], mut document: ParsedDocument) -> ParsedDocument {
        let version = match self.programs.page_versions() {
            Ok(version) => version,
            Err(detail) => {
                document.coverage.warnings.push(format!("pages without text were not read: {detail}"));
                return document;
            }
        };
        let pages = std::mem::take(&mut document.coverage.pages_without_text);
        let (mut unread, mut read) = (Vec::new(), 0);
        for (position, page) in pages.into_iter().enumerate() {
            if position >= self.programs.settings().max_pages {
                unread.push(page);
                continue;
            }
            match self.programs.read_page(bytes, page) {
                Ok(text) => {
                    let paragraphs = page_text::paragraphs(&text);
                    if paragraphs.is_empty() {
                        unread.push(page);
                    } else {
                        page_text::insert(page, &paragraphs, &mut document);
                        read += 1;
                    }
                }
                Err(error) => {
                    document.coverage.warnings.push(format!("page {page}: {error}"));
                    unread.push(page);
                }
            }
        }
        document.coverage.pages_without_text = unread;
        document.coverage.characters_out = document.text.chars().count() as u64;
        record(&version, read, &mut document);
        if read > 0 {
            // Those of the text layer have moved with the text; what was read from pictures has its own.
            findings::find(&mut document);
        }
        document
    }
}

/// Words that a program guessed from a picture are marked as such.
fn record(version: &str, pages: usize, document: &mut ParsedDocument) {
    if pages > 0 {
        let noun = if pages == 1 { "page was" } else { "pages were" };
        document.coverage.warnings.push(format!("{pages} {noun} read by text recognition ({version})"));
        let value = vec![MetadataValue::Text(version.to_owned())];
        document.metadata.insert("text_recognition".to_owned(), value);
    }
}
