use adit_agent::{Agent, AgentRequest, AgentSettings, Policy};
use adit_answer::{
    AnswerError, AnswerOutcome, AnswerSettings, Answerer, AskRequest, ConfidenceLevel, citation_line,
    estimated_tokens,
};
use adit_core::Classified;
use adit_retrieve::SearchRequest;

use crate::arguments::BadCall;

/// What answers the `ask` tool.
#[derive(Clone)]
pub struct Answering {
    /// Answers where there is no agent, with one search.
    pub answerer: Answerer,
    /// How answers are made.
    pub settings: AnswerSettings,
    /// Answers by itself where one search is not enough.
    pub agent: Option<(Agent, AgentSettings)>,
}

impl std::fmt::Debug for Answering {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_agent = self.agent.is_some();
        formatter
            .debug_struct("Answering")
            .field("settings", &self.settings)
            .field("agent", &has_agent)
            .finish()
    }
}

impl Answering {
    /// Answers one question within the request's token budget, output included.
    pub(crate) fn ask(&self, search: SearchRequest<'_>) -> Result<AnswerOutcome, BadCall> {
        let settings = AnswerSettings {
            max_output_tokens: self.settings.max_output_tokens.min(search.budget_tokens),
            ..self.settings.clone()
        };
        let ask = AskRequest::new(search, &settings);
        match &self.agent {
            Some((agent, limits)) => {
                let request = AgentRequest { ask, settings: limits, policy: Policy::Auto };
                Ok(agent.ask(&request).map_err(|error| bad_call(&error))?.answer)
            }
            None => self.answerer.ask(&ask).map_err(|error: AnswerError| bad_call(&error)),
        }
    }
}

fn bad_call<E: Classified + std::error::Error>(error: &E) -> BadCall {
    let hint = error.hint().unwrap_or_else(|| "try again; if it happens again, tell the user".to_owned());
    BadCall::new(error.to_string(), hint)
}

/// The answer, what is wrong with its claims, its sources and what a reader should know, within `budget_tokens`.
/// What does not fit is counted.
pub(crate) fn render(outcome: &AnswerOutcome, budget_tokens: usize) -> String {
    let mut text = outcome.answer.trim_end().to_owned();
    text.push('\n');
    if let Some(refusal) = &outcome.refusal {
        text += &format!("reason: {}\n", refusal.reason);
    }
    let mut lines = Vec::new();
    if outcome.extractive {
        lines.push("note: these are the documents' own sentences; no language model wrote them".to_owned());
    }
    if !outcome.refused {
        let level = if outcome.confidence.level == ConfidenceLevel::High { "high" } else { "low" };
        lines.push(format!("confidence: {level}, because {}", outcome.confidence.reason));
    }
    for claim in outcome.claims.iter().filter(|claim| !claim.is_supported) {
        let problems: Vec<String> = claim.problems.iter().map(ToString::to_string).collect();
        lines.push(format!("not supported: {} ({})", claim.text, problems.join("; ")));
    }
    lines.extend(outcome.citations.iter().map(|citation| format!("source: {}", citation_line(citation))));
    if let Some(refusal) = &outcome.refusal {
        lines.extend(refusal.next_steps.iter().map(|step| format!("next: {step}")));
    }
    lines.extend(outcome.notices.iter().map(|notice| format!("note: {notice}")));
    let mut left = budget_tokens.saturating_sub(estimated_tokens(&text) + LEFT_OUT_TOKENS);
    let mut left_out = 0;
    for line in lines {
        let needed = estimated_tokens(&line) + 1;
        if needed > left || left_out > 0 {
            left_out += 1;
            continue;
        }
        left -= needed;
        text += &line;
        text.push('\n');
    }
    if left_out > 0 {
        text += &format!("[{left_out} further lines omitted for length]\n");
    }
    text
}

/// For the line that counts what was left out.
const LEFT_OUT_TOKENS: usize = 20;
