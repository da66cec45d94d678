//! Grounded answers: passages become an answer in which every claim cites its passage, a program checks each
//! citation, and a calibrated gate says when the documents do not answer at all.
//!
//! [`Answerer::ask`] searches, weighs the evidence, corrects a weak search by at most two rewrites, lets a
//! language model write from the passages (or selects sentences where there is no model), verifies every claim,
//! and returns an [`AnswerOutcome`]. A model that fails never fails the question: the extractive answer takes
//! its place and a notice says so.

mod answerer;
mod budget;
mod error;
mod extractive;
mod generation;
mod outcome;
mod passage_terms;
mod request;
mod sufficiency;
mod verification;
mod written;

pub use answerer::{AnswerEvent, Answerer};
pub use budget::{estimated_tokens, recent};
pub use error::AnswerError;
pub use extractive::{ExtractiveAnswer, ExtractiveSettings, SelectedSentence, extract};
pub use generation::{Fence, REFUSAL, answer_request, is_refusal, system_prompt};
pub use outcome::{AnswerOutcome, Citation, Confidence, ConfidenceLevel, Refusal, citation_line};
pub use passage_terms::TermSource;
pub use request::{AnswerSettings, AskRequest, Unsupported};
pub use sufficiency::{
    ModelRewriter, OutsideSearch, OutsideSearchError, QueryRewriter, Rewritten, RuleRewriter, Strips,
    read_rewrite, refine_into_strips, rewrite_request,
};
pub use verification::{
    CheckedClaim, ClaimProblem, Judgement, ModelJudge, PassagePredicate, SupportJudge, Verification,
    VerificationInput, verify,
};
pub use written::WrittenAnswer;
