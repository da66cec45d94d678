//! Parsers as a whole: what holds for any input, and how real, messy files fare.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod invariants;
mod pdf_bytes;
mod pdf_files;
mod real_files;
