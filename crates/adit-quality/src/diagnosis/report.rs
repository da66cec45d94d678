use serde::{Deserialize, Serialize};

/// The stage that is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// None: what was expected is shown.
    None,
    /// The words did not come out of the file.
    Parser,
    /// No chunk holds the words together.
    Chunker,
    /// The search by words did not bring it among the best.
    Lexical,
    /// The search by meaning did not.
    Dense,
    /// A retriever ranked it well, the fused order did not.
    Fusion,
    /// The reranker put it below the limit.
    Rerank,
    /// It ranked well and was left out of the context.
    Assembly,
    /// It was in the context and not in the answer.
    Generation,
    /// The reader's rights or filter exclude it.
    Scope,
    /// The index is behind the file, or was made with something else.
    Version,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::None => "none",
            Self::Parser => "parser",
            Self::Chunker => "chunker",
            Self::Lexical => "lexical",
            Self::Dense => "dense",
            Self::Fusion => "fusion",
            Self::Rerank => "rerank",
            Self::Assembly => "assembly",
            Self::Generation => "generation",
            Self::Scope => "scope",
            Self::Version => "version",
        })
    }
}

/// One check that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at: `text`, `version`, `chunk`, `scope`, `lexical` and so on.
    pub check: String,
    /// Whether it is as it should be.
    pub is_good: bool,
    /// What was seen.
    pub evidence: String,
}

/// What became of the expected words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The question.
    pub question: String,
    /// The expected words.
    pub expected: String,
    /// Exactly one stage.
    pub stage: Stage,
    /// Why this stage, in one sentence.
    pub reason: String,
    /// What to try, in one sentence.
    pub remedy: String,
    /// The checks in their order; the last is the one that failed, if any did.
    pub findings: Vec<Finding>,
}

/// The checks made so far.
#[derive(Debug, Clone)]
pub(super) struct Findings {
    question: String,
    expected: String,
    findings: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(question: &str, expected: &str) -> Self {
        Self { question: question.to_owned(), expected: expected.to_owned(), findings: Vec::new() }
    }

    pub(super) fn add(&mut self, check: &str, is_good: bool, evidence: String) {
        self.findings.push(Finding { check: check.to_owned(), is_good, evidence });
    }

    pub(super) fn blame(
        &mut self,
        stage: Stage,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Diagnosis {
        Diagnosis {
            question: self.question.clone(),
            expected: self.expected.clone(),
            stage,
            reason: reason.into(),
            remedy: remedy.into(),
            findings: std::mem::take(&mut self.findings),
        }
    }
}
