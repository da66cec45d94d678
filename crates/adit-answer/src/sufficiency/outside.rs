use adit_core::{Classified, ErrorClass, Passage};
use thiserror::Error;

/// A search beyond the documents, such as the web or another system, asked when the documents do not answer.
pub trait OutsideSearch: Send + Sync {
    /// What it is called, for the notice that names it.
    fn name(&self) -> &str;

    /// Passages for `query`, best first, with ids of their own that belong to no document of the collection.
    /// They are fenced and verified like any others. The query leaves the house: an implementation is only
    /// plugged in by somebody who wants that.
    ///
    /// # Errors
    /// [`OutsideSearchError`]; the question is then refused as it would have been without it.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Passage>, OutsideSearchError>;
}

/// Why an outside search found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the outside search failed: {detail}")]
pub struct OutsideSearchError {
    /// What it said.
    pub detail: String,
    /// Whether it may work later.
    pub is_passing: bool,
}

impl Classified for OutsideSearchError {
    fn class(&self) -> ErrorClass {
        ErrorClass::World
    }

    fn is_retryable(&self) -> bool {
        self.is_passing
    }
}
