use adit_catalog::StoredChunk;
use adit_core::{CandidateOutcome, ChunkId, Passage, PassageScores};

use crate::render::{cut_line, passage_head};
use crate::token_counter::TokenCounter;
use crate::{PassageOrder, passage_of};

/// A later passage is cut to what is left of the budget only if so many tokens of it can be shown.
const SMALLEST_CUT_TOKENS: usize = 50;

/// A chunk that may become a passage.
pub(crate) struct Ranked {
    pub(crate) stored: StoredChunk,
    pub(crate) scores: PassageScores,
    /// Sources of the passages that say the same.
    pub(crate) also_in: Vec<String>,
}

/// Passages that fit, and what became of the others.
pub(crate) struct Assembled {
    pub(crate) passages: Vec<Passage>,
    pub(crate) omitted: usize,
    pub(crate) outcomes: Vec<(ChunkId, CandidateOutcome)>,
}

/// Leaves out chunks whose words all stand in a better one of the same document.
pub(crate) fn without_contained(ranked: &mut Vec<Ranked>) -> Vec<(ChunkId, CandidateOutcome)> {
    let mut kept: Vec<Ranked> = Vec::new();
    let mut outcomes = Vec::new();
    for one in ranked.drain(..) {
        let contained = kept.iter().any(|better| {
            better.stored.document == one.stored.document
                && better.stored.version == one.stored.version
                && better.stored.chunk.range.contains(one.stored.chunk.range)
        });
        if contained {
            outcomes.push((one.stored.chunk_id, CandidateOutcome::Contained));
        } else {
            kept.push(one);
        }
    }
    *ranked = kept;
    outcomes
}

/// Takes passages from the best down as long as they fit into `budget_tokens`, header lines included. A
/// passage that alone exceeds the whole budget is cut, and says so; one that does not fit into what is
/// left is omitted, and a shorter one after it may still be taken.
pub(crate) fn assemble(
    ranked: Vec<Ranked>,
    budget_tokens: usize,
    order: PassageOrder,
    counter: &TokenCounter<'_>,
) -> Assembled {
    let mut result = Assembled { passages: Vec::new(), omitted: 0, outcomes: Vec::new() };
    let mut left = budget_tokens;
    for one in ranked {
        let chunk = one.stored.chunk_id;
        match fitted(one, budget_tokens, left, counter) {
            Some(passage) => {
                left = left.saturating_sub(passage.token_count);
                result.passages.push(passage);
                result.outcomes.push((chunk, CandidateOutcome::Returned));
            }
            None => {
                result.omitted += 1;
                result.outcomes.push((chunk, CandidateOutcome::OverBudget));
            }
        }
    }
    if order == PassageOrder::Bookend {
        result.passages = bookended(result.passages);
    }
    result
}

fn fitted(one: Ranked, whole: usize, left: usize, counter: &TokenCounter<'_>) -> Option<Passage> {
    let mut passage = to_passage(one);
    let head_tokens = counter.count(&passage_head(&passage));
    let text_tokens = counter.count(&passage.text);
    passage.token_count = head_tokens + text_tokens;
    if passage.token_count <= left {
        return Some(passage);
    }
    if passage.token_count <= whole {
        return None;
    }
    // The words of the line that tells of the cut count as well; its numbers are no longer than these.
    let line_tokens = counter.count(&cut_line(text_tokens, text_tokens));
    let room = left.checked_sub(head_tokens + line_tokens).filter(|room| *room >= SMALLEST_CUT_TOKENS)?;
    let shown = counter.beginning(&passage.text, room);
    let shown_tokens = counter.count(shown);
    let shown_characters = shown.chars().count();
    passage.text = format!("{shown}\n{}", cut_line(shown_tokens, text_tokens));
    passage.char_end = passage.char_start + shown_characters;
    passage.token_count = head_tokens + counter.count(&passage.text);
    (passage.token_count <= left).then_some(passage)
}

fn to_passage(one: Ranked) -> Passage {
    Passage { scores: one.scores, also_in: one.also_in, ..passage_of(one.stored) }
}

/// Best first, second best last, the weakest in the middle.
fn bookended(passages: Vec<Passage>) -> Vec<Passage> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (place, passage) in passages.into_iter().enumerate() {
        if place % 2 == 0 { front.push(passage) } else { back.push(passage) }
    }
    front.extend(back.into_iter().rev());
    front
}
