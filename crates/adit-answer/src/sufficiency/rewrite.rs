use std::sync::Arc;

use adit_core::{
    Completion, CompletionRequest, LanguageModel, LanguageModelError, Message, OutputFormat, Role, TokenUsage,
};
use serde::Deserialize;

use crate::TermSource;

/// Another wording for a question whose evidence is weak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The query; none when there is nothing else to try.
    pub query: Option<String>,
    /// What the call is billed for.
    pub usage: TokenUsage,
    /// Calls of a language model.
    pub model_calls: usize,
}

/// Words a question differently.
pub trait QueryRewriter: Send + Sync {
    /// Another query for `question`, none of `tried`. `missing` are words that no passage had.
    ///
    /// # Errors
    /// [`LanguageModelError`]; the rules stand in then.
    fn rewrite(
        &self,
        question: &str,
        tried: &[String],
        missing: &[String],
        terms: TermSource<'_>,
    ) -> Result<Rewritten, LanguageModelError>;
}

/// Rewrites without a model: first only the words that the collection has, then only the rarest of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleRewriter;

/// Words of the narrow rewrite.
const RAREST_WORDS: usize = 3;

impl QueryRewriter for RuleRewriter {
    fn rewrite(
        &self,
        question: &str,
        tried: &[String],
        missing: &[String],
        terms: TermSource<'_>,
    ) -> Result<Rewritten, LanguageModelError> {
        let is_missing = |word: &str| missing.iter().any(|one| one.eq_ignore_ascii_case(word));
        let mut known: Vec<(String, f32)> = Vec::new();
        for word in question.split_whitespace() {
            let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
            let found = terms.terms(bare);
            let weight = found
                .iter()
                .filter(|term| term.document_frequency > 0)
                .map(|term| term.inverse_document_frequency)
                .fold(0.0_f32, f32::max);
            if weight > 0.0 && !is_missing(bare) && !known.iter().any(|(other, _)| other == bare) {
                known.push((bare.to_owned(), weight));
            }
        }
        let joined = |words: &[(String, f32)]| {
            words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
        };
        let all = joined(&known);
        known.sort_by(|left, right| right.1.total_cmp(&left.1));
        let rarest = joined(known.get(..RAREST_WORDS).unwrap_or(&known));
        let is_other = |query: &String| !query.is_empty() && query != question && !tried.contains(query);
        let query = [all, rarest].into_iter().find(is_other);
        Ok(Rewritten { query, usage: TokenUsage::default(), model_calls: 0 })
    }
}

/// Rewrites by a language model.
pub struct ModelRewriter {
    model: Arc<dyn LanguageModel>,
}

const SYSTEM: &str = "You rewrite a question as a search query for a collection of documents in which the question \
    as it was asked found nothing. Use other words for the same thing: synonyms, the formal term, the word a manual \
    would use. Keep names, codes and numbers. Answer with a JSON object {\"query\": \"...\"} of at most 12 words.";
const MAX_OUTPUT_TOKENS: usize = 80;
/// A longer rewrite is no query.
const MAX_QUERY_CHARACTERS: usize = 300;

#[derive(Deserialize)]
struct Query {
    query: String,
}

impl ModelRewriter {
    /// A rewriter that asks `model`.
    #[must_use]
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model }
    }
}

impl QueryRewriter for ModelRewriter {
    fn rewrite(
        &self,
        question: &str,
        tried: &[String],
        missing: &[String],
        _terms: TermSource<'_>,
    ) -> Result<Rewritten, LanguageModelError> {
        let completion = self.model.complete(&rewrite_request(question, tried, missing))?;
        let query = read_rewrite(&completion, question, tried)?;
        Ok(Rewritten { query, usage: completion.usage, model_calls: 1 })
    }
}

/// What a model is asked for another wording of `question`.
#[must_use]
pub fn rewrite_request(question: &str, tried: &[String], missing: &[String]) -> CompletionRequest {
    let mut user = format!("Question: {question}");
    for query in tried {
        user += &format!("\nTried: {query}");
    }
    if !missing.is_empty() {
        user += &format!("\nWords that no document has: {}", missing.join(", "));
    }
    let mut request = CompletionRequest::question(SYSTEM, user, MAX_OUTPUT_TOKENS);
    request.output = OutputFormat::Schema {
        name: "search_query".to_owned(),
        schema: serde_json::json!({
            "type": "object",
            "properties": { "query": { "type": "string" } },
            "required": ["query"],
            "additionalProperties": false,
        }),
    };
    request
}

/// The wording that a model gave; none where it is the question again or was tried.
///
/// # Errors
/// [`LanguageModelError::UnreadableAnswer`].
pub fn read_rewrite(
    completion: &Completion,
    question: &str,
    tried: &[String],
) -> Result<Option<String>, LanguageModelError> {
    let text = completion.text.trim().trim_start_matches("```json").trim_matches('`').trim();
    let answer: Query = serde_json::from_str(text).map_err(|error| LanguageModelError::UnreadableAnswer {
        detail: format!("the rewrite is not the object that was asked for: {error}"),
    })?;
    let query = answer.query.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_usable = !query.is_empty()
        && query.chars().count() <= MAX_QUERY_CHARACTERS
        && query != question
        && !tried.contains(&query);
    Ok(is_usable.then_some(query))
}

/// Words that refer to what was said before, in questions that cannot stand alone.
const REFERRING: &[&str] = &[
    "it", "its", "they", "them", "their", "that", "those", "this", "these", "he", "she", "his", "her", "one",
    "ones", "there", "er", "sie", "es", "dessen", "deren", "dort", "dafür", "dazu",
];
const FOLLOWING: &[&str] = &["and ", "what about ", "how about ", "und ", "was ist mit "];
/// A shorter question in a conversation leans on the one before.
const LEAST_WORDS: usize = 4;

/// The question as it is searched: behind the one before it, when it refers to that. None when it stands alone.
pub(crate) fn standalone_query(question: &str, history: &[Message]) -> Option<String> {
    let before = history.iter().rev().find(|message| message.role == Role::User)?.text();
    let lowered = question.to_lowercase();
    let words: Vec<&str> = lowered
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let refers = words.iter().any(|word| REFERRING.contains(word))
        || FOLLOWING.iter().any(|start| lowered.starts_with(start))
        || words.len() < LEAST_WORDS;
    let last_line = before.lines().rev().find(|line| !line.trim().is_empty())?;
    let asked = last_line.trim().trim_start_matches("Question: ");
    refers.then(|| format!("{asked} {question}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_drop_what_no_document_has_then_keep_the_rarest() {
        let missing = ["penguins".to_owned()];
        let question = "Which penguins receive seasonal leave from the regional office";
        let rewrite = |tried: &[String]| {
            RuleRewriter.rewrite(question, tried, &missing, TermSource::default()).unwrap().query
        };
        let first = rewrite(&[]).unwrap();
        assert_eq!(first, "Which receive seasonal leave from regional office");
        let second = rewrite(std::slice::from_ref(&first)).unwrap();
        assert_eq!(second.split(' ').count(), 3);
        assert_eq!(rewrite(&[first, second]), None);
    }

    #[test]
    fn follow_ups_are_searched_with_what_they_follow() {
        let history = [Message::user("How much leave do staff get?"), Message::assistant("28 days.")];
        let query = standalone_query("And trainees?", &history).unwrap();
        assert_eq!(query, "How much leave do staff get? And trainees?");
        assert_eq!(standalone_query("Which documents does the finance office need?", &history), None);
        assert_eq!(standalone_query("And trainees?", &[]), None);
    }
}
