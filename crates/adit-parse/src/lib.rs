//! Bytes to block tree: one file per format, encodings, coverage report.
//!
//! [`DocumentParser`] reads every format in this process; [`GuardedParser`] reads PDF in a child
//! process with limits on time and memory, because a PDF is a program written by a stranger. Both keep
//! every readable word of the file once in [`adit_core::ParsedDocument::text`].

mod builder;
mod code;
mod csv;
mod document_parser;
mod encoding;
mod encoding_guess;
mod flow;
mod flow_table;
mod front_matter;
mod guard;
mod html;
mod html_elements;
mod html_head;
mod limits;
mod markdown;
mod media_type;
mod pdf;
mod pdf_lines;
mod pdf_markdown;
mod plain_text;
mod worker;

pub use document_parser::DocumentParser;
pub use guard::GuardedParser;
pub use limits::ParseLimits;
pub use media_type::detect_media_type;
pub use worker::{WORKER_ARGUMENT, run_worker};
