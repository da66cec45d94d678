//! What the conversation before a question lets an answer cite.

use adit_core::{ChunkId, DocumentId, Message, Passage, PassageId, PassageScores, ReadScope, Role};
use adit_retrieve::{RetrieveError, passage_of};

use crate::reader::Reader;

/// The document that a user's own turns are cited as. Documents have twelve hexadecimal digits.
const CONVERSATION: &str = "conversation";
/// Passages of earlier answers that are looked up again; a conversation cites few.
const MOST_CITED: usize = 32;

/// The user's turns, and the passages that earlier answers cite, as far as the reader may still see them. A model's
/// own words are never evidence.
pub(crate) fn citable(reader: &Reader<'_>, history: &[Message]) -> Result<Vec<Passage>, RetrieveError> {
    let mut passages = Vec::new();
    let users = history.iter().filter(|message| message.role == Role::User);
    passages.extend((1..).zip(users).map(|(number, message)| turn(number, message.text())));
    let answers = history.iter().filter(|message| message.role == Role::Assistant);
    let view = reader.retriever.catalog().view()?;
    for id in answers.flat_map(|message| cited(&message.text())).take(MOST_CITED) {
        let chunks = view.chunks_of(&id.document, ReadScope::Reader(reader.search.scope))?;
        let found = chunks.into_iter().find(|stored| stored.chunk.index == id.chunk_index);
        passages.extend(found.map(passage_of));
    }
    Ok(passages)
}

fn cited(text: &str) -> Vec<PassageId> {
    let marks = text.split("[doc:").skip(1).filter_map(|rest| rest.split(']').next());
    marks.flat_map(|inner| inner.split([',', ';'])).filter_map(|id| id.trim().parse().ok()).collect()
}

fn turn(number: u32, text: String) -> Passage {
    Passage {
        id: PassageId { document: DocumentId::from_stored(CONVERSATION), chunk_index: number },
        chunk: ChunkId(u32::MAX),
        source: "the conversation".to_owned(),
        title: String::new(),
        heading_path: Vec::new(),
        page_start: None,
        page_end: None,
        char_start: 0,
        char_end: text.chars().count(),
        table_header: None,
        text,
        also_in: Vec::new(),
        warnings: Vec::new(),
        scores: PassageScores::default(),
        token_count: 0,
    }
}
