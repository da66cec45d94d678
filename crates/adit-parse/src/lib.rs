//! Bytes to block tree: one file per format, encodings, coverage report.
//!
//! [`DocumentParser`] reads every format in this process; [`GuardedParser`] reads PDF and other formats
//! that are programs written by strangers in a child process with limits on time and memory. Both keep
//! every readable word of the file once in [`adit_core::ParsedDocument::text`], and hand over the files
//! inside archives, mailboxes and messages one by one.

mod asciidoc;
mod builder;
mod chat;
mod code;
mod compound;
mod container;
mod csv;
mod doc;
mod document_parser;
mod docx;
mod email;
mod encoding;
mod epub;
mod findings;
mod flow;
mod front_matter;
mod guard;
mod hidden_marks;
mod html;
mod inline_marks;
mod json;
mod limits;
mod markdown;
mod media_type;
mod notebook;
mod odf;
mod office;
mod org;
mod outlook;
mod package;
mod pdf;
mod plain_text;
mod ppt;
mod pptx;
mod recognition;
mod restructured_text;
mod rtf;
mod spreadsheet;
mod subtitles;
mod worker;
mod xml;
mod xml_reader;

pub use container::has_own_text;
pub use document_parser::DocumentParser;
pub use guard::GuardedParser;
pub use limits::ParseLimits;
pub use media_type::detect_media_type;
pub use recognition::RecognitionSettings;
pub use worker::{WORKER_ARGUMENT, run_worker};
