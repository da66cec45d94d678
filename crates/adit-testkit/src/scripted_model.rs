use std::collections::VecDeque;
use std::sync::Mutex;

use adit_core::{Completion, CompletionRequest, LanguageModel, LanguageModelError};

/// A language model without a model: answers by a script and remembers what it was asked.
///
/// The first entry whose text occurs in the request (system or user text) answers; an entry added with
/// [`ScriptedModel::answer_once`] is used up by that. Tokens are counted as words.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    script: Mutex<Vec<ScriptEntry>>,
    failures: Mutex<VecDeque<LanguageModelError>>,
    requests: Mutex<Vec<CompletionRequest>>,
}

#[derive(Debug)]
struct ScriptEntry {
    contained: String,
    answer: String,
    once: bool,
}

impl ScriptedModel {
    /// A model that knows no answer yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers every request that contains `contained` with `answer`.
    #[must_use]
    pub fn answer(self, contained: &str, answer: &str) -> Self {
        self.with_entry(contained, answer, false)
    }

    /// Answers the next request that contains `contained` with `answer`, then forgets it.
    #[must_use]
    pub fn answer_once(self, contained: &str, answer: &str) -> Self {
        self.with_entry(contained, answer, true)
    }

    /// Lets the next call fail with `error`; several failures are used up in order.
    pub fn fail_next(&self, error: LanguageModelError) {
        self.failures.lock().unwrap().push_back(error);
    }

    /// Everything it was asked, failed calls included, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<CompletionRequest> {
        self.requests.lock().unwrap().clone()
    }

    fn with_entry(self, contained: &str, answer: &str, once: bool) -> Self {
        let entry = ScriptEntry { contained: contained.to_owned(), answer: answer.to_owned(), once };
        self.script.lock().unwrap().push(entry);
        self
    }

    fn look_up(&self, request: &CompletionRequest) -> Option<String> {
        let mut script = self.script.lock().unwrap();
        let index = script.iter().position(|entry| {
            request.user.contains(&entry.contained) || request.system.contains(&entry.contained)
        })?;
        if script[index].once {
            return Some(script.remove(index).answer);
        }
        Some(script[index].answer.clone())
    }
}

impl LanguageModel for ScriptedModel {
    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        self.requests.lock().unwrap().push(request.clone());
        if let Some(error) = self.failures.lock().unwrap().pop_front() {
            return Err(error);
        }
        let text = self.look_up(request).ok_or_else(|| LanguageModelError::Rejected {
            detail: format!("the script has no answer for: {}", request.user),
        })?;
        let input_tokens = words(&request.system) + words(&request.user);
        let output_tokens = words(&text);
        Ok(Completion { text, input_tokens, output_tokens })
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: &ScriptedModel, user: &str) -> Result<Completion, LanguageModelError> {
        model.complete(&CompletionRequest {
            system: "be brief".to_owned(),
            user: user.to_owned(),
            max_output_tokens: 10,
            wants_json: false,
        })
    }

    #[test]
    fn answers_by_the_script_and_fails_on_demand() {
        let model = ScriptedModel::new().answer_once("bee", "one two").answer("bee", "three");
        assert_eq!(ask(&model, "a bee").unwrap().output_tokens, 2);
        assert_eq!(ask(&model, "a bee").unwrap().text, "three");
        model.fail_next(LanguageModelError::Unreachable { detail: "cable".to_owned() });
        assert!(ask(&model, "a bee").is_err());
        assert_eq!(ask(&model, "a bee").unwrap().input_tokens, 4);
        assert!(matches!(ask(&model, "an ant"), Err(LanguageModelError::Rejected { .. })));
        assert_eq!(model.requests().len(), 5);
    }
}
