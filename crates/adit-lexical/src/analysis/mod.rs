//! From a text to the terms that are indexed and asked for.

mod content_words;
mod document_terms;
mod identifiers;
mod language;
mod language_detection;
mod normalisation;
mod query_terms;
mod script;
mod stop_words;
mod term_stream;
mod words;

pub use content_words::content_words;
pub use document_terms::{DocumentTerms, analyse_document};
pub use identifiers::identifiers_of;
pub use language::analysed_languages;
pub use language_detection::detect_language;
pub(crate) use query_terms::{QueryWord, analyse_query};
pub(crate) use term_stream::{TERM_TOKENIZER, TermTokenizer, joined_terms};

/// Name and version of the analysers. Part of the fingerprint: raise it with every change that makes any
/// text give other terms.
pub const ANALYSER_VERSION: &str = "adit-lexical/1 snowball-20261016";

/// The longest term in bytes; what is beyond is cut off, in documents and queries alike.
pub(crate) const MAX_TERM_BYTES: usize = 255;
