use std::path::Path;

use adit_core::SequenceNumber;
use tantivy::Index;
use tantivy::IndexMeta;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

use crate::analysis::{TERM_TOKENIZER, TermTokenizer};
use crate::{ANALYSER_VERSION, LexicalError};

/// The fields of the index. Nothing is stored: texts are the catalog's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Analysed words with frequencies; its length is BM25's document length.
    pub(crate) body: Field,
    /// Whole identifiers with frequencies, without lengths (b = 0).
    pub(crate) identifiers: Field,
    /// [`adit_core::ChunkId`], indexed for deletes and as a column for results.
    pub(crate) chunk: Field,
}

/// Name of the column that [`Fields::chunk`] is read from.
pub(crate) const CHUNK_COLUMN: &str = "chunk_id";

/// The schema of every lexical index.
fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let words = |has_lengths: bool| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TERM_TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(has_lengths);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        body: builder.add_text_field("body", words(true)),
        identifiers: builder.add_text_field("identifiers", words(false)),
        chunk: builder.add_u64_field(CHUNK_COLUMN, FAST | INDEXED),
    };
    (builder.build(), fields)
}

/// What a commit records: the sequence number and the analysers that made the terms.
pub(crate) fn payload(sequence: SequenceNumber) -> String {
    format!("{sequence} {ANALYSER_VERSION}")
}

/// Reads [`payload`] back. An index without any commit is at 0.
pub(crate) fn sequence_of(folder: &Path, meta: &IndexMeta) -> Result<SequenceNumber, LexicalError> {
    let Some(payload) = &meta.payload else {
        return Ok(SequenceNumber::default());
    };
    let (number, analyser) = payload.split_once(' ').unwrap_or((payload, ""));
    if analyser != ANALYSER_VERSION {
        return Err(LexicalError::OtherFormat {
            folder: folder.to_owned(),
            found: analyser.to_owned(),
            expected: ANALYSER_VERSION.to_owned(),
        });
    }
    number.parse().map(SequenceNumber).map_err(|_| LexicalError::Damaged {
        folder: folder.to_owned(),
        detail: format!("the commit payload `{payload}` has no sequence number"),
    })
}

/// Opens an existing index and checks that its fields are ours.
pub(crate) fn open_index(folder: &Path) -> Result<(Index, Fields), LexicalError> {
    let index = Index::open_in_dir(folder).map_err(|error| LexicalError::from_tantivy(folder, error))?;
    let (expected, fields) = schema();
    if index.schema() != expected {
        return Err(LexicalError::OtherFormat {
            folder: folder.to_owned(),
            found: "another schema".to_owned(),
            expected: ANALYSER_VERSION.to_owned(),
        });
    }
    register_tokenizer(&index);
    Ok((index, fields))
}

/// Makes an empty index in an existing folder.
pub(crate) fn create_index(folder: &Path) -> Result<(Index, Fields), LexicalError> {
    let (schema, fields) = schema();
    let index =
        Index::create_in_dir(folder, schema).map_err(|error| LexicalError::from_tantivy(folder, error))?;
    register_tokenizer(&index);
    Ok((index, fields))
}

fn register_tokenizer(index: &Index) {
    index.tokenizers().register(TERM_TOKENIZER, TermTokenizer::default());
}
