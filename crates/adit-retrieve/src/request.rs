use adit_core::{Filter, Scope};
use serde::{Deserialize, Serialize};

use crate::{Bm25Parameters, Fusion, SignalSelection, Turn, Understanding};

/// The smallest token budget that leaves room for notices and a passage.
pub const MIN_BUDGET_TOKENS: usize = 200;

/// Which retrievers are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words and by meaning, fused by rank.
    #[default]
    Hybrid,
    /// By meaning only.
    Dense,
    /// By words only; needs no model.
    Lexical,
}

/// In which order passages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageOrder {
    /// Best first.
    #[default]
    Ranked,
    /// Best first, second best last, the weakest in the middle, where a language model looks least
    /// (Liu et al. 2023, "Lost in the Middle").
    Bookend,
}

/// One question and everything that decides its answer.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The question.
    pub query: &'a str,
    /// Who is reading.
    pub scope: &'a Scope,
    /// What else must hold.
    pub filter: &'a Filter,
    /// Which retrievers are asked.
    pub mode: Mode,
    /// Most passages to return.
    pub limit: usize,
    /// Most tokens that the rendered passages may take together.
    pub budget_tokens: usize,
    /// Candidates taken from each retriever.
    pub depth: usize,
    /// BM25's free parameters.
    pub bm25: Bm25Parameters,
    /// Candidates the vector graph keeps while it walks; `None` takes the tuned value.
    pub ef_search: Option<usize>,
    /// How the two lists are joined, in hybrid mode.
    pub fusion: Fusion,
    /// What meaning counts beside words, in hybrid mode; `None` takes 1, and less
    /// where the embedder was not trained for the question's language.
    pub dense_weight: Option<f32>,
    /// What token vectors count beside words, in hybrid mode; 0 leaves them out. `None` takes the retriever's
    /// default, and 0 where the embedder was not trained for the question's language.
    pub late_interaction_weight: Option<f32>,
    /// Whether passages that say the same are shown once, with the sources of the others.
    pub fold_duplicates: bool,
    /// Most passages of one document while other documents have candidates; 0 for no such limit.
    pub most_per_document: usize,
    /// What multiplies fused scores; `None` takes what the retriever was set up with.
    pub signals: Option<SignalSelection>,
    /// In which order passages are shown.
    pub order: PassageOrder,
    /// Which steps may reshape the question before it is searched for.
    pub understanding: Understanding,
    /// The conversation before the question, oldest first.
    pub conversation: &'a [Turn<'a>],
}

impl<'a> SearchRequest<'a> {
    /// A request with the defaults: hybrid, 10 passages, 4,000 tokens, 100 candidates a retriever, best first.
    #[must_use]
    pub fn new(query: &'a str, scope: &'a Scope, filter: &'a Filter) -> Self {
        Self {
            query,
            scope,
            filter,
            mode: Mode::Hybrid,
            limit: 10,
            budget_tokens: 4_000,
            depth: 100,
            bm25: Bm25Parameters::default(),
            ef_search: None,
            fusion: Fusion::default(),
            dense_weight: None,
            late_interaction_weight: None,
            fold_duplicates: true,
            most_per_document: 0,
            signals: None,
            order: PassageOrder::Ranked,
            understanding: Understanding::default(),
            conversation: &[],
        }
    }
}
