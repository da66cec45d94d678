//! Passages that say the same: folded before the limit cuts, so that copies do not take the places of other
//! documents, with the sources of the copies kept.

mod quota;
mod same_words;

use std::collections::HashMap;

use adit_core::{CandidateOutcome, ChunkId, DocumentId};

pub(crate) use quota::most_per_document;
use same_words::Words;

use crate::assemble::Ranked;

/// Candidates that are kept, each with where else its words stand, and those that were folded into them.
#[derive(Default)]
pub(crate) struct Folded {
    pub(crate) kept: Vec<Ranked>,
    pub(crate) outcomes: Vec<(ChunkId, CandidateOutcome)>,
    words: Vec<Words>,
}

impl Folded {
    /// How many passages could be shown if no document gave more than `most`; 0 is no limit.
    pub(crate) fn showable(&self, most: usize) -> usize {
        if most == 0 {
            return self.kept.len();
        }
        let mut by_document: HashMap<&DocumentId, usize> = HashMap::new();
        for one in &self.kept {
            *by_document.entry(&one.stored.document).or_default() += 1;
        }
        by_document.values().map(|count| (*count).min(most)).sum()
    }

    /// Takes the next candidate, which ranks below all before it and which the reader may see. With `folds` off
    /// everything is kept.
    pub(crate) fn take(&mut self, one: Ranked, folds: bool) {
        let words = if folds { Words::of(&one.stored) } else { Words::default() };
        let twin =
            if folds { self.words.iter().position(|better| better.say_the_same_as(&words)) } else { None };
        let Some(better) = twin.and_then(|at| self.kept.get_mut(at)) else {
            self.kept.push(one);
            self.words.push(words);
            return;
        };
        let source = &one.stored.source;
        if better.stored.source != *source && !better.also_in.contains(source) {
            better.also_in.push(source.clone());
        }
        let of = better.stored.chunk_id;
        self.outcomes.push((one.stored.chunk_id, CandidateOutcome::Duplicate { of }));
    }
}
