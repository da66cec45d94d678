use serde::{Deserialize, Serialize};

/// One search and everything that is known about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskedQuestion {
    /// Name of the search, for looking it up.
    pub id: String,
    /// The question.
    pub question: String,
    /// Who asked; only compared, never shown.
    pub asker: String,
    /// The question's vector `[dimension]`, length 1; `None` without a model.
    pub vector: Option<Vec<f32>>,
    /// How the search went when it was asked.
    pub then: Outcome,
    /// How the same search goes now; `None` where it was not tried.
    pub now: Option<Outcome>,
    /// Where the question's content words stand today.
    pub terms: Vec<TermStanding>,
    /// What the reader said: whether it was answered.
    pub answered: Option<bool>,
    /// In the reader's words.
    pub note: Option<String>,
}

/// How one search went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// Passages returned.
    pub passages: usize,
    /// Whether the evidence was weak; `None` where it was not weighed.
    pub is_weak: Option<bool>,
    /// Cosine of the nearest chunk, when meaning was searched.
    pub top_cosine: Option<f32>,
}

/// Where a content word of a question stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermStanding {
    /// The word.
    pub term: String,
    /// Chunks of the collection that have it, 0 when none that the asker may read does.
    pub chunks: u64,
    /// Whether a returned passage has it.
    pub in_passages: bool,
}

/// Why a search counts as failed or uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// Its reader said that it was not answered.
    FeedbackNo,
    /// Nothing was returned.
    NoPassage,
    /// Something was returned, on weak evidence.
    WeakEvidence,
}

impl Outcome {
    /// Whether passages came back and the evidence for them was not weak.
    fn is_good(&self) -> bool {
        self.passages > 0 && self.is_weak == Some(false)
    }
}

impl AskedQuestion {
    /// What was wrong, if anything: the reader's word counts more than the figures, and figures that were
    /// not taken then are taken from now.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        let weighed_now = self.now.and_then(|now| now.is_weak);
        match self.answered {
            Some(true) => None,
            Some(false) => Some(Trouble::FeedbackNo),
            None if self.then.passages == 0 => Some(Trouble::NoPassage),
            None if self.then.is_weak.or(weighed_now) == Some(true) => Some(Trouble::WeakEvidence),
            None => None,
        }
    }

    /// Whether the figures were bad then and are good now, as after documents were added. A search that
    /// looked good then and was not is never taken for mended.
    #[must_use]
    pub fn is_answered_since(&self) -> bool {
        let was_bad = self.then.passages == 0 || self.then.is_weak == Some(true);
        was_bad && self.trouble().is_some() && self.now.is_some_and(|now| now.is_good())
    }

    /// The newest figures there are.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.now.unwrap_or(self.then)
    }
}
