use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Block, ChildFile, Classified, ContainerLimit, Coverage, ErrorClass, Expansion, Metadata, Section,
};

/// What kind of file it is, decided by content first and name second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaType {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// Plain text.
    PlainText,
    /// Comma- or tab-separated values.
    Csv,
    /// PDF.
    Pdf,
    /// Source code.
    Code,
    /// Office Open XML text (`.docx`).
    Docx,
    /// Office Open XML slides (`.pptx`).
    Pptx,
    /// A spreadsheet: `.xlsx`, `.xls`, `.ods`.
    Spreadsheet,
    /// OpenDocument text (`.odt`).
    Odt,
    /// OpenDocument slides (`.odp`).
    Odp,
    /// Rich text (`.rtf`).
    Rtf,
    /// One mail message (`.eml`).
    Email,
    /// An electronic book (`.epub`).
    Epub,
    /// JSON or JSON lines.
    Json,
    /// XML that is no other format here.
    Xml,
    /// A Jupyter notebook.
    Notebook,
    /// Subtitles: WebVTT or SubRip.
    Subtitles,
    /// reStructuredText.
    RestructuredText,
    /// AsciiDoc.
    Asciidoc,
    /// Org mode.
    Org,
    /// One message as Outlook saves it (`.msg`).
    Outlook,
    /// Word up to 2003 (`.doc`).
    Doc,
    /// PowerPoint up to 2003 (`.ppt`).
    Ppt,
    /// A mailbox: many messages in one file.
    Mbox,
    /// An archive of files: ZIP, tar, gzip.
    Archive,
    /// A log of a conversation in turns.
    Chat,
    /// A picture.
    Image,
    /// Bytes no parser here reads.
    Unknown,
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::PlainText => "plain_text",
            Self::Csv => "csv",
            Self::Pdf => "pdf",
            Self::Code => "code",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Spreadsheet => "spreadsheet",
            Self::Odt => "odt",
            Self::Odp => "odp",
            Self::Rtf => "rtf",
            Self::Email => "email",
            Self::Epub => "epub",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Notebook => "notebook",
            Self::Subtitles => "subtitles",
            Self::RestructuredText => "restructured_text",
            Self::Asciidoc => "asciidoc",
            Self::Org => "org",
            Self::Outlook => "outlook",
            Self::Doc => "doc",
            Self::Ppt => "ppt",
            Self::Mbox => "mbox",
            Self::Archive => "archive",
            Self::Chat => "chat",
            Self::Image => "image",
            Self::Unknown => "unknown",
        })
    }
}

/// A file's name and bytes, as a source hands it over.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'a> {
    /// Name or path; only its ending is looked at.
    pub name: &'a str,
    /// All bytes.
    pub bytes: &'a [u8],
}

/// A document as structure over one extracted text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParsedDocument {
    /// Detected type.
    pub media_type: MediaType,
    /// Title from the document itself, if it has one.
    pub title: Option<String>,
    /// The extracted text that all ranges point into. What a person can find with Ctrl-F.
    pub text: String,
    /// The heading tree.
    pub sections: Vec<Section>,
    /// Blocks in reading order, not overlapping; between them only white space.
    pub blocks: Vec<Block>,
    /// Keys from front matter or document properties (front matter's `tenant` and `acl` included, raw).
    pub metadata: Metadata,
    /// What went in and came out.
    pub coverage: Coverage,
}

impl ParsedDocument {
    /// Headings from the outermost to the one that holds `section`.
    #[must_use]
    pub fn heading_path(&self, section: Option<usize>) -> Vec<String> {
        let mut path = Vec::new();
        let mut next = section.and_then(|index| self.sections.get(index));
        // A parent always stands before its child; the bound keeps a malformed tree from looping.
        while let Some(section) = next
            && path.len() < self.sections.len()
        {
            path.push(section.heading.clone());
            next = section.parent.and_then(|index| self.sections.get(index));
        }
        path.reverse();
        path
    }
}

/// Turns the bytes of some media types into a [`ParsedDocument`].
///
/// An implementation MUST keep every readable word of the file in `text`, MUST report what it could
/// not read in `coverage`, and MUST return an error, never an empty success, for a file it cannot open.
pub trait Parser: Send + Sync {
    /// Parses one file.
    ///
    /// # Errors
    /// [`ParseError`] says whether the file is empty, locked, damaged, too large or not supported.
    fn parse(&self, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError>;

    /// Hands every file inside `file`, at any depth, to `take`, an inner container before what is in it,
    /// and stops early when `take` breaks. `None` when the file holds no others. At most one child a
    /// container level is in memory at a time.
    ///
    /// A child that cannot be had is handed over with its error. An error returned here concerns the
    /// container; children that were handed over before stay good.
    ///
    /// # Errors
    /// [`ParseError::ContainerLimit`] for a bomb, [`ParseError::Damaged`] and the others of
    /// [`Parser::parse`].
    fn expand(
        &self,
        file: SourceFile<'_>,
        take: &mut dyn FnMut(ChildFile) -> ControlFlow<()>,
    ) -> Result<Option<Expansion>, ParseError> {
        let _ = (file, take);
        Ok(None)
    }
}

/// Why a file gave no document.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParseError {
    /// No bytes, or nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// A password is needed.
    #[error("the file is protected by a password")]
    PasswordNeeded,
    /// The bytes are not what their type promises.
    #[error("the {media_type} file is damaged: {detail}")]
    Damaged {
        /// Detected type.
        media_type: MediaType,
        /// What the reader said.
        detail: String,
    },
    /// No parser for this type.
    #[error("no parser reads this kind of file ({detail})")]
    Unsupported {
        /// What it seems to be.
        detail: String,
    },
    /// Pages, but not one of them with text.
    #[error("none of its {pages} pages has a text layer (a scan?)")]
    NoText {
        /// Pages in the file.
        pages: u32,
    },
    /// More bytes than the limit.
    #[error("the file has {size_bytes} bytes, more than the limit of {limit_bytes}")]
    TooLarge {
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A container, which has no words besides those of the files in it.
    #[error("its words are in the files inside it, each a document of its own")]
    Container {
        /// What the container is.
        media_type: MediaType,
    },
    /// It unpacks to more than the limit: a bomb, or too large for these settings.
    #[error("it unpacks to more than {most} {limit}")]
    ContainerLimit {
        /// Which limit.
        limit: ContainerLimit,
        /// Its value.
        most: u64,
    },
    /// A picture, and no program here that reads the words in it.
    #[error("{what} was not read: its words are a picture, and {detail}")]
    NeedsOcr {
        /// What it is.
        what: String,
        /// Why there is no text recognition.
        detail: String,
    },
    /// The guarded child process ran out of time.
    #[error("parsing was stopped after {limit_ms} ms")]
    TimedOut {
        /// The limit.
        limit_ms: u64,
    },
    /// The guarded child process died, most often by running out of its memory limit.
    #[error("the parser process died ({detail})")]
    Crashed {
        /// Signal, exit code or last words.
        detail: String,
    },
}

impl Classified for ParseError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Crashed { .. } => ErrorClass::Internal,
            Self::TimedOut { .. } => ErrorClass::World,
            _ => ErrorClass::User,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Empty => "remove the file, or fill it and run `adit index` again",
                Self::PasswordNeeded => "save a copy without the password and index that",
                Self::Damaged { .. } => "open it in its own program and save it again",
                Self::Unsupported { .. } => "convert it to Markdown, HTML, text, CSV or PDF",
                Self::NoText { .. } => {
                    "install `tesseract` and `pdftoppm`, or run an OCR tool over it first and index the result"
                }
                Self::Container { .. } => "look at the documents whose names begin with this file's name",
                Self::ContainerLimit { .. } => {
                    "unpack it yourself if it can be trusted, or raise `parse.max_container_*` in adit.toml"
                }
                Self::NeedsOcr { .. } => {
                    "install `tesseract` (Debian: `apt install tesseract-ocr`) and run `adit index` again"
                }
                Self::TooLarge { .. } => "split the file, or raise `parse.max_file_bytes` in adit.toml",
                Self::TimedOut { .. } => "split the file, or raise `parse.timeout_ms` in adit.toml",
                Self::Crashed { .. } => {
                    "split the file or save it again, or raise `parse.memory_limit_bytes` in adit.toml"
                }
            }
            .to_owned(),
        )
    }
}
