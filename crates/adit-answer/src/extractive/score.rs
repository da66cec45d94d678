use adit_core::{Embedder, Passage};
use adit_lexical::detect_language;
use adit_retrieve::{holds_wanted_kind, sentence_ranges};

use crate::TermSource;
use crate::passage_terms::{TextTerms, context_of, coverage};

/// What a word in the title or the headings counts beside one in the sentence.
const CONTEXT_SHARE: f32 = 0.5;
/// Shorter pieces say nothing by themselves.
const LEAST_WORDS: usize = 3;
/// Longer ones are not sentences; they are passed over rather than cut.
const MOST_CHARACTERS: usize = 1_000;

/// How sentences are selected. The weights were chosen on the sets that docs/measurements/answers.md names.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractiveSettings {
    /// The most sentences of an answer.
    pub max_sentences: usize,
    /// Passages that sentences are taken from, best first.
    pub max_passages: usize,
    /// Sentences that the embedder reads, those with most of the question's words first.
    pub max_embedded_sentences: usize,
    /// What the question's words count, by their rarity.
    pub coverage_weight: f32,
    /// What the cosine counts; nothing where there is no embedder for the question's language.
    pub cosine_weight: f32,
    /// What the passage's rank counts, divided by the rank.
    pub rank_weight: f32,
    /// What a sentence gains that holds a thing of the kind that is asked for, such as a number.
    pub kind_weight: f32,
    /// A further sentence needs at least this share of the best one's score.
    pub least_share: f32,
    /// A further sentence may share at most this part of its words with one that was taken.
    pub most_similarity: f32,
}

impl Default for ExtractiveSettings {
    fn default() -> Self {
        Self {
            max_sentences: 3,
            max_passages: 8,
            max_embedded_sentences: 32,
            coverage_weight: 1.0,
            cosine_weight: 1.0,
            rank_weight: 0.3,
            kind_weight: 0.15,
            least_share: 0.7,
            most_similarity: 0.6,
        }
    }
}

/// A sentence that may become part of an answer.
pub(super) struct Candidate<'a> {
    pub(super) passage: &'a Passage,
    pub(super) text: &'a str,
    pub(super) terms: TextTerms,
    pub(super) coverage: f32,
    pub(super) cosine: Option<f32>,
    pub(super) score: f32,
}

/// The sentences of the best passages with their scores, unsorted.
pub(super) fn candidates<'a>(
    question: &str,
    passages: &'a [Passage],
    source: TermSource<'_>,
    embedder: Option<&dyn Embedder>,
    settings: &ExtractiveSettings,
) -> Vec<Candidate<'a>> {
    let question_terms = source.terms(question);
    let terms = question_terms.as_slice();
    let mut found = Vec::new();
    for (place, passage) in passages.iter().enumerate().take(settings.max_passages) {
        let language = source.language_of(&passage.text);
        let context = TextTerms::of(&context_of(passage), language);
        for range in sentence_ranges(&passage.text) {
            let Some(text) = range.slice(&passage.text).filter(|text| says_something(text)) else { continue };
            let own = TextTerms::of(text, language);
            let in_sentence = coverage(terms, |term| own.has(term));
            let with_context = coverage(terms, |term| own.has(term) || context.has(term));
            let covered = in_sentence + CONTEXT_SHARE * (with_context - in_sentence);
            let kind = if holds_wanted_kind(question, text) { settings.kind_weight } else { 0.0 };
            let rank = settings.rank_weight / (place + 1) as f32;
            let score = settings.coverage_weight * covered + kind + rank;
            found.push(Candidate { passage, text, terms: own, coverage: covered, cosine: None, score });
        }
    }
    if let Some(embedder) = embedder.filter(|embedder| reads(*embedder, question)) {
        add_cosines(question, &mut found, embedder, settings);
    }
    found
}

fn says_something(sentence: &str) -> bool {
    let is_heading = sentence.starts_with('#');
    let is_cut_line = sentence.starts_with("[passage cut:");
    let is_rule = !sentence.contains(char::is_alphanumeric);
    let words = sentence.split_whitespace().count();
    // Scripts without spaces write a sentence as one word.
    let is_short = words < LEAST_WORDS && sentence.chars().count() < 12;
    let is_question = sentence.ends_with('?');
    !(is_heading || is_cut_line || is_rule || is_short || is_question) && sentence.len() <= MOST_CHARACTERS
}

/// Whether the embedder was trained for the question's language, as far as both are known.
fn reads(embedder: &dyn Embedder, question: &str) -> bool {
    let trained = embedder.languages();
    let asked = detect_language(question);
    trained.is_empty() || asked == "und" || trained.contains(&asked)
}

/// Adds the cosines of the sentences with the highest scores so far. An embedder that fails leaves the scores by
/// words.
fn add_cosines(
    question: &str,
    candidates: &mut [Candidate<'_>],
    embedder: &dyn Embedder,
    settings: &ExtractiveSettings,
) {
    let limit_tokens = embedder.tokenizer().max_input_tokens();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    let score = |place: &usize| candidates.get(*place).map_or(0.0, |candidate| candidate.score);
    order.sort_by(|left, right| score(right).total_cmp(&score(left)));
    order.truncate(settings.max_embedded_sentences);
    // The heading says what the sentence is about; a pronoun does not.
    let in_context = |candidate: &Candidate<'_>| match candidate.passage.heading_path.last() {
        Some(heading) => format!("{heading}: {}", candidate.text),
        None => candidate.text.to_owned(),
    };
    let mut texts = Vec::new();
    order.retain(|place| {
        let Some(text) = candidates.get(*place).map(in_context) else { return false };
        let fits = embedder.tokenizer().count_tokens(&text).is_ok_and(|tokens| tokens <= limit_tokens);
        if fits {
            texts.push(text);
        }
        fits
    });
    let views: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded =
        embedder.embed_query(question).and_then(|asked| Ok((asked, embedder.embed_documents(&views)?)));
    match embedded {
        Ok((asked, vectors)) => {
            for (place, vector) in order.iter().zip(vectors) {
                if let Some(candidate) = candidates.get_mut(*place) {
                    let cosine = asked.iter().zip(&vector).map(|(left, right)| left * right).sum::<f32>();
                    candidate.cosine = Some(cosine);
                    candidate.score += settings.cosine_weight * cosine.max(0.0);
                }
            }
        }
        Err(error) => tracing::debug!(%error, "sentences are selected by their words only"),
    }
}
