use adit_core::TokenUsage;
use adit_retrieve::{Retriever, SearchRequest, SearchResponse, Sufficiency};

use super::{OutsideSearch, QueryRewriter, RuleRewriter};
use crate::{AnswerError, TermSource};

/// Who corrects a weak search.
pub(crate) struct Correction<'a> {
    pub(crate) retriever: &'a Retriever,
    /// Asked first; the rules stand in where there is none or it fails.
    pub(crate) rewriter: Option<&'a dyn QueryRewriter>,
    pub(crate) outside: Option<&'a dyn OutsideSearch>,
    pub(crate) max_rewrites: usize,
}

/// The best search there was.
pub(crate) struct Corrected {
    pub(crate) response: SearchResponse,
    /// What was searched beside the question.
    pub(crate) rewrites: Vec<String>,
    pub(crate) usage: TokenUsage,
    pub(crate) model_calls: usize,
    pub(crate) notices: Vec<String>,
    /// Whether the passages come from outside the documents.
    pub(crate) is_outside: bool,
}

impl Corrected {
    /// Nothing to answer from.
    pub(crate) fn is_insufficient(&self) -> bool {
        self.response.passages.is_empty()
            || self.response.evidence.sufficiency == Some(Sufficiency::Incorrect)
    }
}

impl Correction<'_> {
    /// Searches, and again under other wordings while the evidence is weak.
    pub(crate) fn search(&self, request: &SearchRequest<'_>) -> Result<Corrected, AnswerError> {
        let mut corrected = Corrected {
            response: self.retriever.search(request)?,
            rewrites: Vec::new(),
            usage: TokenUsage::default(),
            model_calls: 0,
            notices: Vec::new(),
            is_outside: false,
        };
        corrected.usage += corrected.response.plan.usage;
        while corrected.is_insufficient() && corrected.rewrites.len() < self.max_rewrites {
            let Some(query) = self.rewritten(request.query, &mut corrected) else { break };
            corrected.rewrites.push(query.clone());
            let again = self.retriever.search(&SearchRequest { query: &query, ..*request })?;
            corrected.usage += again.plan.usage;
            // How well a rewrite is answered says nothing about the question, if the rewrite asks for less: the
            // passages are weighed against the question as it was asked.
            let weighed = self.retriever.weigh_for(request, &again)?;
            let again = SearchResponse { evidence: weighed, ..again };
            if is_better(&again, &corrected.response) {
                corrected.response = again;
            }
        }
        if corrected.is_insufficient() {
            self.look_outside(request, &mut corrected);
        }
        Ok(corrected)
    }

    fn rewritten(&self, question: &str, corrected: &mut Corrected) -> Option<String> {
        let terms = TermSource::of(self.retriever);
        let missing = &corrected.response.evidence.missing_terms;
        if let Some(rewriter) = self.rewriter {
            match rewriter.rewrite(question, &corrected.rewrites, missing, terms) {
                Ok(rewritten) => {
                    corrected.usage += rewritten.usage;
                    corrected.model_calls += rewritten.model_calls;
                    return rewritten.query;
                }
                Err(error) => {
                    corrected.model_calls += 1;
                    corrected.notices.push(format!("the question was reworded by rules only: {error}"));
                }
            }
        }
        RuleRewriter
            .rewrite(question, &corrected.rewrites, missing, terms)
            .ok()
            .and_then(|rewritten| rewritten.query)
    }

    fn look_outside(&self, request: &SearchRequest<'_>, corrected: &mut Corrected) {
        let Some(outside) = self.outside else { return };
        match outside.search(request.query, request.limit) {
            Ok(passages) if !passages.is_empty() => {
                corrected.notices.push(format!(
                    "the documents do not answer; {} passages come from {}",
                    passages.len(),
                    outside.name()
                ));
                corrected.response.passages = passages;
                corrected.is_outside = true;
            }
            Ok(_) => corrected.notices.push(format!("{} found nothing either", outside.name())),
            Err(error) => corrected.notices.push(error.to_string()),
        }
    }
}

fn is_better(one: &SearchResponse, other: &SearchResponse) -> bool {
    let probability = |response: &SearchResponse| response.evidence.probability.unwrap_or(0.0);
    let shows = |response: &SearchResponse| !response.passages.is_empty();
    (shows(one) && !shows(other)) || (shows(one) && probability(one) > probability(other))
}
