use serde::Serialize;

use super::item::GoldenItem;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeneratedGolden {
    /// The new questions; those of the existing set are not repeated.
    pub items: Vec<GoldenItem>,
    /// Answers of the model that were not used.
    pub rejected: Vec<Rejection>,
    /// Calls made.
    pub calls: usize,
    /// Tokens the model read.
    pub input_tokens: u64,
    /// Tokens the model wrote.
    pub output_tokens: u64,
    /// Why it ended.
    pub stopped: StopReason,
}

/// Why the generation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All wished questions are there.
    Complete,
    /// `max_calls` are used up.
    CallBudget,
    /// Every chunk was asked about.
    NoMoreChunks,
    /// The model cannot be used; what it said.
    Model(String),
}

/// An answer that was not used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rejection {
    /// Document of the chunk it was asked about.
    pub source: String,
    /// The question, where there was one.
    pub question: Option<String>,
    /// Why.
    pub reason: RejectionReason,
}

/// Why an answer was not used.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionReason {
    /// It is not the JSON that was asked for.
    Unreadable {
        /// What is wrong with it.
        detail: String,
    },
    /// Its quote is not in the chunk.
    QuoteNotPlaced {
        /// How near the nearest part comes, 0 to 1.
        best_similarity: f64,
    },
    /// The question repeats the quote's words.
    KeywordMatchable {
        /// See [`super::keyword_share`].
        share: f64,
    },
    /// The question is already there.
    Duplicate,
    /// It was to be unanswerable, but the collection seems to answer it.
    Answered,
    /// The call failed and may be tried again.
    CallFailed {
        /// What the model's provider said.
        detail: String,
    },
}
