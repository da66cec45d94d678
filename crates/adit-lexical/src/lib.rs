//! Text analysis by language and a BM25 index over the analysed words.
//!
//! [`LexicalIndex`] is the writer and [`LexicalSearcher`] one immutable state of what it wrote. Postings
//! live in tantivy; the scoring is our own, so that k1 and b are free per query, the permission bitmap is
//! applied while postings are walked, and equal inputs give bit-equal scores.
//!
//! Analysis happens before tantivy sees a text: words by UAX 29, Chinese, Japanese, Korean, Thai, Lao,
//! Khmer and Burmese by rules of their own, then NFKC, lower case, stop words and a Snowball stemmer by
//! language. Identifiers (`ERR_4021`, `src/main.rs`) are also kept whole in a field of their own, so that
//! the lengths in the main field stay comparable with Lucene's.

mod analysis;
mod bm25;
mod chunk_set;
mod error;
mod explain;
mod group_cursor;
mod posting_cursor;
mod query;
mod query_term;
mod schema;
mod searcher;
mod segment;
mod sparse_scan;
mod top_chunks;
mod window_scan;
mod writer;

pub use analysis::{
    ANALYSER_VERSION, DocumentTerms, analyse_document, analysed_languages, content_words, detect_language,
    identifiers_of,
};
pub use bm25::Bm25Parameters;
pub use error::LexicalError;
pub use query_term::QueryTerm;
pub use searcher::{LexicalSearcher, open_searcher};
pub use writer::LexicalIndex;
