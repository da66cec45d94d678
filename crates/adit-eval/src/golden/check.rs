use std::collections::BTreeMap;

use serde::Serialize;

use super::file::GoldenSet;
use super::item::{GoldenItem, GoldenSpan};
use super::locate::{Placement, SpanLocator};

/// Share of unanswerable questions that a golden set should have: without them nothing is measured
/// about saying "it is not there".
pub const WISHED_UNANSWERABLE_SHARE: f64 = 0.15;

/// What a check of a golden set against the documents found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoldenReport {
    /// Items.
    pub items: usize,
    /// Spans of all items.
    pub spans: usize,
    /// Spans that stand where they should, word for word.
    pub exact: usize,
    /// Spans found elsewhere or with other words.
    pub moved: Vec<SpanFinding>,
    /// Spans that are nowhere in their document.
    pub not_placed: Vec<SpanFinding>,
    /// Spans whose document is not there.
    pub unknown_sources: Vec<SpanFinding>,
    /// Quotes without a range that stand in their document more than once; the first place counts.
    pub ambiguous: Vec<SpanFinding>,
    /// Items that are not answerable.
    pub unanswerable: usize,
    /// Their share of the items, 0 to 1.
    pub unanswerable_share: f64,
    /// See [`WISHED_UNANSWERABLE_SHARE`].
    pub wished_unanswerable_share: f64,
    /// Ids of items that ask the same question, letters' case and white space aside.
    pub duplicate_questions: Vec<Vec<String>>,
    /// Counts by category; items without one are under the empty name.
    pub categories: BTreeMap<String, CategoryCounts>,
}

/// One span that needs a look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanFinding {
    /// Id of the item.
    pub id: String,
    /// Source of the span.
    pub source: String,
    /// Its quote.
    pub quote: Option<String>,
    /// Of the nearest part of the text, 0 to 1; nothing when the document is unknown.
    pub similarity: Option<f64>,
}

/// Items of one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CategoryCounts {
    /// All of them.
    pub items: usize,
    /// Of them answerable.
    pub answerable: usize,
}

impl GoldenReport {
    /// Whether every span has its place, so that figures over the set mean what they say.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        self.not_placed.is_empty() && self.unknown_sources.is_empty()
    }
}

/// Places every span of `set`. `text_of` gives the extracted text of a source, `None` when there is no
/// such document; each source is asked for once, and one text is in memory at a time.
///
/// # Errors
/// Those of `text_of`.
pub fn check_golden<E>(
    set: &GoldenSet,
    text_of: &mut dyn FnMut(&str) -> Result<Option<String>, E>,
) -> Result<GoldenReport, E> {
    let mut report = counts(set);
    for (source, spans) in spans_by_source(set) {
        let Some(text) = text_of(source)? else {
            report.unknown_sources.extend(spans.iter().map(|(item, span)| finding(item, span, None)));
            continue;
        };
        let locator = SpanLocator::new(&text);
        for (item, span) in spans {
            report.place(&locator, item, span);
        }
    }
    Ok(report)
}

impl GoldenReport {
    fn place(&mut self, locator: &SpanLocator<'_>, item: &GoldenItem, span: &GoldenSpan) {
        match locator.place(span) {
            Placement::Exact(_) => self.exact += 1,
            Placement::Moved { similarity, .. } => self.moved.push(finding(item, span, Some(similarity))),
            Placement::NotFound { best_similarity } => {
                self.not_placed.push(finding(item, span, Some(best_similarity)));
            }
        }
        if span.char_range().is_none() && locator.verbatim_occurrences(span) > 1 {
            self.ambiguous.push(finding(item, span, Some(1.0)));
        }
    }
}

fn counts(set: &GoldenSet) -> GoldenReport {
    let unanswerable = set.items.iter().filter(|item| !item.answerable).count();
    let mut categories: BTreeMap<String, CategoryCounts> = BTreeMap::new();
    let mut by_question: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in &set.items {
        let counts = categories.entry(item.category.clone().unwrap_or_default()).or_default();
        counts.items += 1;
        counts.answerable += usize::from(item.answerable);
        by_question.entry(question_key(&item.question)).or_default().push(item.id.clone());
    }
    GoldenReport {
        items: set.items.len(),
        spans: set.items.iter().map(|item| item.spans.len()).sum(),
        exact: 0,
        moved: Vec::new(),
        not_placed: Vec::new(),
        unknown_sources: Vec::new(),
        ambiguous: Vec::new(),
        unanswerable,
        unanswerable_share: unanswerable as f64 / set.items.len().max(1) as f64,
        wished_unanswerable_share: WISHED_UNANSWERABLE_SHARE,
        duplicate_questions: by_question.into_values().filter(|ids| ids.len() > 1).collect(),
        categories,
    }
}

/// The same for questions that differ only in case, white space and a final mark.
pub(super) fn question_key(question: &str) -> String {
    let words: Vec<String> = question.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

fn spans_by_source(set: &GoldenSet) -> BTreeMap<&str, Vec<(&GoldenItem, &GoldenSpan)>> {
    let mut spans: BTreeMap<&str, Vec<(&GoldenItem, &GoldenSpan)>> = BTreeMap::new();
    for item in &set.items {
        for span in &item.spans {
            spans.entry(&span.source).or_default().push((item, span));
        }
    }
    spans
}

fn finding(item: &GoldenItem, span: &GoldenSpan, similarity: Option<f64>) -> SpanFinding {
    SpanFinding { id: item.id.clone(), source: span.source.clone(), quote: span.quote.clone(), similarity }
}
