use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::classify::{classify, is_hidden};
use super::next_step::next_step;
use super::{AskedQuestion, GapKind, GapOptions, TermStanding, Trouble};

/// Words and notes shown of one group, at most.
const SHOWN: usize = 5;

/// Questions about one thing that stayed without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapGroup {
    /// What most of its searches are.
    pub kind: GapKind,
    /// Searches, repetitions included.
    pub count: usize,
    /// Different readers.
    pub askers: usize,
    /// Searches of each kind, since one theme may have both.
    pub topic_gaps: usize,
    /// See `topic_gaps`.
    pub capability_gaps: usize,
    /// Searches whose reader said no.
    pub feedback_no: usize,
    /// Searches that returned nothing.
    pub no_passage: usize,
    /// Searches that returned something on weak evidence.
    pub weak_evidence: usize,
    /// The questions asked most.
    pub examples: Vec<GapExample>,
    /// Words of the questions that no document has.
    pub absent_terms: Vec<TermCount>,
    /// Rare words of the questions that documents have and no returned passage.
    pub hidden_terms: Vec<TermCount>,
    /// What readers wrote.
    pub notes: Vec<String>,
    /// What to do about it, in one sentence.
    pub next_step: String,
}

/// One question of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapExample {
    /// The question.
    pub question: String,
    /// How often it was asked in vain.
    pub count: usize,
    /// Its latest search.
    pub search_id: String,
    /// What it is by itself.
    pub kind: GapKind,
    /// Cosine of the nearest chunk.
    pub top_cosine: Option<f32>,
}

/// A word and how much it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCount {
    /// The word.
    pub term: String,
    /// Searches with it.
    pub searches: usize,
    /// Different readers.
    pub askers: usize,
}

/// Counts words over questions, most wanted first.
#[derive(Default)]
pub(super) struct TermCounter<'a> {
    counts: BTreeMap<&'a str, (usize, BTreeSet<&'a str>)>,
}

impl<'a> TermCounter<'a> {
    pub(super) fn add(&mut self, term: &'a str, asker: &'a str) {
        let (searches, askers) = self.counts.entry(term).or_default();
        *searches += 1;
        askers.insert(asker);
    }

    pub(super) fn most(self, limit: usize) -> Vec<TermCount> {
        let counted = self.counts.into_iter().map(|(term, (searches, askers))| TermCount {
            term: term.to_owned(),
            searches,
            askers: askers.len(),
        });
        let mut counted: Vec<_> = counted.collect();
        // Stable, so that equal counts stay in the order of the alphabet.
        counted.sort_by_key(|term| std::cmp::Reverse((term.searches, term.askers)));
        counted.truncate(limit);
        counted
    }
}

impl GapGroup {
    /// Sums up `variants`: the searches of each different question, in the order they were asked.
    pub(super) fn of(variants: &[&[&AskedQuestion]], options: &GapOptions) -> Self {
        let searches: Vec<&AskedQuestion> =
            variants.iter().flat_map(|variant| variant.iter().copied()).collect();
        let kind_of = |question: &AskedQuestion| classify(question, options.collection_chunks);
        let of_kind = |kind| searches.iter().filter(|one| kind_of(one) == kind).count();
        let in_trouble = |trouble| searches.iter().filter(|one| one.trouble() == Some(trouble)).count();
        let (topic_gaps, capability_gaps) = (of_kind(GapKind::Topic), of_kind(GapKind::Capability));
        // On a draw, what can be looked into at once goes first.
        let kind = if topic_gaps > capability_gaps { GapKind::Topic } else { GapKind::Capability };
        let mut group = Self {
            kind,
            count: searches.len(),
            askers: searches.iter().map(|one| &one.asker).collect::<BTreeSet<_>>().len(),
            topic_gaps,
            capability_gaps,
            feedback_no: in_trouble(Trouble::FeedbackNo),
            no_passage: in_trouble(Trouble::NoPassage),
            weak_evidence: in_trouble(Trouble::WeakEvidence),
            examples: examples(variants, options, kind_of),
            absent_terms: terms(&searches, |term| term.chunks == 0),
            hidden_terms: terms(&searches, |term| is_hidden(term, options.collection_chunks)),
            notes: searches.iter().rev().filter_map(|one| one.note.clone()).take(SHOWN).collect(),
            next_step: String::new(),
        };
        group.next_step = next_step(&group);
        group
    }
}

fn terms(searches: &[&AskedQuestion], wanted: impl Fn(&TermStanding) -> bool) -> Vec<TermCount> {
    let mut counter = TermCounter::default();
    for search in searches {
        for term in &search.terms {
            if wanted(term) {
                counter.add(&term.term, &search.asker);
            }
        }
    }
    counter.most(SHOWN)
}

fn examples(
    variants: &[&[&AskedQuestion]],
    options: &GapOptions,
    kind_of: impl Fn(&AskedQuestion) -> GapKind,
) -> Vec<GapExample> {
    let mut examples: Vec<GapExample> = variants
        .iter()
        .filter_map(|variant| variant.last().map(|latest| (variant.len(), *latest)))
        .map(|(count, latest)| GapExample {
            question: latest.question.clone(),
            count,
            search_id: latest.id.clone(),
            kind: kind_of(latest),
            top_cosine: latest.outcome().top_cosine,
        })
        .collect();
    examples
        .sort_by(|left, right| right.count.cmp(&left.count).then_with(|| left.question.cmp(&right.question)));
    examples.truncate(options.examples);
    examples
}
