use serde::Serialize;

/// A question with the places of the documents that answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoldenItem {
    /// Unique in its set; stays the same when the file is sorted or edited elsewhere.
    pub id: String,
    /// The question as a user would ask it.
    pub question: String,
    /// What answers it; empty when the question is not answerable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<GoldenSpan>,
    /// Kind of question, for figures per kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the collection answers it.
    pub answerable: bool,
    /// What a good answer says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_answer: Option<String>,
}

/// A place in a document: a quote, a range of characters, both, or (with neither) the whole document.
///
/// Gold is kept by its words and not by chunk, so it outlives another chunking or another parser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoldenSpan {
    /// Path or URI of the document as the catalog names it, or its end after a `/`.
    pub source: String,
    /// The words, as they stand in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// First character, counted from 0 in the document's extracted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub char_start: Option<usize>,
    /// One past the last character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub char_end: Option<usize>,
}

impl GoldenSpan {
    /// The whole of a document.
    #[must_use]
    pub fn whole_document(source: &str) -> Self {
        Self { source: source.to_owned(), quote: None, char_start: None, char_end: None }
    }

    /// The place where `quote` stands in `source`.
    #[must_use]
    pub fn quoted(source: &str, quote: &str) -> Self {
        Self { quote: Some(quote.to_owned()), ..Self::whole_document(source) }
    }

    /// First and one past the last character, if the span names both.
    #[must_use]
    pub fn char_range(&self) -> Option<(usize, usize)> {
        self.char_start.zip(self.char_end)
    }

    /// What is wrong with it, in words for the author of the file.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.source.trim().is_empty() {
            return Some("a span has an empty `source`".to_owned());
        }
        if self.quote.as_ref().is_some_and(|quote| quote.trim().is_empty()) {
            return Some(
                "a span has an empty `quote`; leave the field out to mean the whole document".to_owned(),
            );
        }
        match (self.char_start, self.char_end) {
            (Some(_), None) | (None, Some(_)) => {
                Some("a span has one of `char_start` and `char_end`; it needs both or neither".to_owned())
            }
            (Some(start), Some(end)) if start >= end => {
                Some(format!("`char_start` {start} is not before `char_end` {end}"))
            }
            _ => None,
        }
    }
}

impl GoldenItem {
    /// What is wrong with it, in words for the author of the file.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.question.trim().is_empty() {
            return Some("the question is empty".to_owned());
        }
        if self.id.trim().is_empty() {
            return Some("the id is empty; leave the field out to have one made".to_owned());
        }
        if self.answerable && self.spans.is_empty() {
            return Some(
                "an answerable question needs a `source` (and best a `quote`), or `\"answerable\": false`"
                    .to_owned(),
            );
        }
        if !self.answerable && !self.spans.is_empty() {
            return Some("a question with a `source` cannot be `\"answerable\": false`".to_owned());
        }
        self.spans.iter().find_map(GoldenSpan::problem)
    }
}

/// The id of an item that names none: a hash of the question and its sources, so that it does not
/// depend on the line, the order of the spans or the quote.
#[must_use]
pub fn default_golden_id(question: &str, spans: &[GoldenSpan]) -> String {
    let mut sources: Vec<&str> = spans.iter().map(|span| span.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut hasher = blake3::Hasher::new();
    hasher.update(question.trim().as_bytes());
    for source in sources {
        hasher.update(&[0]);
        hasher.update(source.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(12).collect()
}
