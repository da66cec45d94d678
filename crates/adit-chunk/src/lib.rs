//! Block tree to chunks: one file per strategy, token counting.
//!
//! Four strategies implement [`adit_core::Chunker`]:
//!
//! - [`StructureChunker`], the default: sections, then blocks, then sentences, then words, then characters;
//! - [`FixedWindowChunker`], the field's baseline: a window of tokens that slides over the text;
//! - [`RecursiveChunker`]: such a window, ended at a paragraph, a line, a sentence or a word;
//! - [`WholeDocumentChunker`]: one chunk a document, for collections whose documents are passages already.
//!
//! All of them keep the same promises, held by property tests: the chunks' ranges cover the text without
//! a hole, `display == text[range]`, and no `indexed` text exceeds the model's window.

mod assemble;
mod atom;
mod atomise;
mod context;
mod fixed_window;
mod pack;
mod recursive;
mod segment;
mod settings;
mod split;
mod structure;
mod token_map;
mod unit;
mod whole_document;

pub use fixed_window::FixedWindowChunker;
pub use recursive::RecursiveChunker;
pub use settings::{ChunkSettings, chunker_by_name};
pub use structure::StructureChunker;
pub use whole_document::WholeDocumentChunker;
