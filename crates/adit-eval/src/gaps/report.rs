use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::group::TermCounter;
use super::similarity::relative_similarity;
use super::{AskedQuestion, GapGroup, GapKind, TermCount, cluster, question_words};

/// How questions are grouped and how much is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct GapOptions {
    /// Chunks in the collection; says which words are rare.
    pub collection_chunks: u64,
    /// Languages of the collection (ISO 639-1), for stop words.
    pub languages: Vec<String>,
    /// Average cosine at which two groups of questions are about one thing. The default is from MiniLM-like
    /// models, where unlike questions have up to 0.2 and two wordings of one wish mostly 0.4 to 0.8.
    pub cosine_threshold: f32,
    /// The same for the share of common words, where there are no vectors.
    pub word_threshold: f32,
    /// Groups shown, the largest first.
    pub groups: usize,
    /// Questions shown of each.
    pub examples: usize,
    /// Absent words shown.
    pub absent_terms: usize,
}

impl Default for GapOptions {
    fn default() -> Self {
        Self {
            collection_chunks: 0,
            languages: Vec::new(),
            cosine_threshold: 0.45,
            word_threshold: 0.4,
            groups: 20,
            examples: 3,
            absent_terms: 20,
        }
    }
}

/// What a log of searches adds up to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapReport {
    /// Searches looked at.
    pub searches: usize,
    /// Those that failed or were uncertain, and still are.
    pub troubled: usize,
    /// Those that were and would be answered today.
    pub answered_since: usize,
    /// Troubled searches of each kind.
    pub topic_gaps: usize,
    /// See `topic_gaps`.
    pub capability_gaps: usize,
    /// The largest first.
    pub groups: Vec<GapGroup>,
    /// Smaller groups that are not shown.
    pub groups_left_out: usize,
    /// Words of any question that no document has, the most wanted first.
    pub absent_terms: Vec<TermCount>,
}

/// Finds what was asked in vain among `questions`, which are all searches of a time in the order they were
/// asked. The same searches in any order give the same groups.
#[must_use]
pub fn find_gaps(questions: &[AskedQuestion], options: &GapOptions) -> GapReport {
    let in_trouble = || questions.iter().filter(|question| question.trouble().is_some());
    let open = in_trouble().filter(|question| !question.is_answered_since());
    let variants = variants(open, &options.languages);
    let mut groups: Vec<GapGroup> =
        grouped(&variants, options).iter().map(|members| GapGroup::of(members, options)).collect();
    groups.sort_by(|left, right| {
        let first = |group: &GapGroup| group.examples.first().map(|example| example.question.clone());
        (right.count, right.askers)
            .cmp(&(left.count, left.askers))
            .then_with(|| left.kind.cmp(&right.kind))
            .then_with(|| first(left).cmp(&first(right)))
    });
    let topic_gaps = groups.iter().map(|group| group.topic_gaps).sum();
    let capability_gaps = groups.iter().map(|group| group.capability_gaps).sum();
    let groups_left_out = groups.len().saturating_sub(options.groups);
    groups.truncate(options.groups);
    GapReport {
        searches: questions.len(),
        troubled: topic_gaps + capability_gaps,
        answered_since: in_trouble().filter(|question| question.is_answered_since()).count(),
        topic_gaps,
        capability_gaps,
        groups,
        groups_left_out,
        absent_terms: absent_terms(questions, options.absent_terms),
    }
}

impl GapReport {
    /// Groups of one kind among those shown, the largest first.
    pub fn of_kind(&self, kind: GapKind) -> impl Iterator<Item = &GapGroup> {
        self.groups.iter().filter(move |group| group.kind == kind)
    }
}

/// The searches of one question, however often and by whomever it was asked.
struct Variant<'a> {
    searches: Vec<&'a AskedQuestion>,
    words: BTreeSet<String>,
}

/// In the order of their words, so that the groups do not depend on who asked first.
fn variants<'a>(
    questions: impl Iterator<Item = &'a AskedQuestion>,
    languages: &[String],
) -> Vec<Variant<'a>> {
    let mut variants: BTreeMap<String, Variant<'a>> = BTreeMap::new();
    for question in questions {
        let variant = variants.entry(plain(&question.question)).or_insert_with(|| Variant {
            searches: Vec::new(),
            words: question_words(&question.question, languages).into_iter().collect(),
        });
        variant.searches.push(question);
    }
    variants.into_values().collect()
}

/// Two questions that differ only in case, spaces and the mark at the end are one.
fn plain(question: &str) -> String {
    let spaced: Vec<&str> = question.split_whitespace().collect();
    spaced.join(" ").to_lowercase().trim_end_matches(['?', '!', '.']).trim_end().to_owned()
}

fn grouped<'v, 'a>(variants: &'v [Variant<'a>], options: &GapOptions) -> Vec<Vec<&'v [&'a AskedQuestion]>> {
    let features: Vec<(Option<&[f32]>, &BTreeSet<String>)> = variants
        .iter()
        .map(|variant| {
            let vector = variant.searches.iter().find_map(|search| search.vector.as_deref());
            (vector, &variant.words)
        })
        .collect();
    let similarity = |left: usize, right: usize| match (features.get(left), features.get(right)) {
        (Some(left), Some(right)) => {
            relative_similarity(*left, *right, options.cosine_threshold, options.word_threshold)
        }
        _ => 0.0,
    };
    cluster(variants.len(), similarity)
        .iter()
        .map(|members| {
            let chosen = members.iter().filter_map(|member| variants.get(*member));
            chosen.map(|variant| variant.searches.as_slice()).collect()
        })
        .collect()
}

fn absent_terms(questions: &[AskedQuestion], limit: usize) -> Vec<TermCount> {
    let mut counter = TermCounter::default();
    for question in questions {
        for term in question.terms.iter().filter(|term| term.chunks == 0) {
            counter.add(&term.term, &question.asker);
        }
    }
    counter.most(limit)
}
