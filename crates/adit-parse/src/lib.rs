//! Bytes to block tree: one file per format, encodings, coverage report.
//!
//! [`DocumentParser`] reads every format in this process; [`GuardedParser`] reads PDF in a child
//! process with limits on time and memory, because a PDF is a program written by a stranger. Both keep
//! every readable word of the file once in [`adit_core::ParsedDocument::text`].

mod asciidoc;
mod builder;
mod code;
mod csv;
mod document_parser;
mod docx;
mod email;
mod encoding;
mod epub;
mod flow;
mod front_matter;
mod guard;
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
mod package;
mod pdf;
mod plain_text;
mod pptx;
mod restructured_text;
mod rtf;
mod spreadsheet;
mod subtitles;
mod worker;
mod xml;
mod xml_reader;

pub use document_parser::DocumentParser;
pub use guard::GuardedParser;
pub use limits::ParseLimits;
pub use media_type::detect_media_type;
pub use worker::{WORKER_ARGUMENT, run_worker};
