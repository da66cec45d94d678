use std::sync::{Arc, Mutex};

use adit_core::{
    Completion, CompletionRequest, LanguageModel, LanguageModelDescription, LanguageModelError, RerankError,
    Reranker, TokenProbability,
};
use adit_provider::{ListwiseReranker, PointwiseReranker};
use adit_testkit::ScriptedModel;

/// Orders the numbered passages of a request by the number that each one holds, largest first.
#[derive(Default)]
struct SortingModel {
    description: LanguageModelDescription,
    windows: Mutex<Vec<usize>>,
}

impl LanguageModel for SortingModel {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        let text = request.user_text();
        let mut passages: Vec<(usize, u32)> = text
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.split_once("] passage "))
            .map(|(number, value)| (number.parse().unwrap(), value.parse().unwrap()))
            .collect();
        self.windows.lock().unwrap().push(passages.len());
        passages.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        let order: Vec<String> = passages.iter().map(|(number, _)| format!("[{number}]")).collect();
        Ok(Completion { text: order.join(" > "), ..Completion::default() })
    }
}

fn listwise(values: &[u32]) -> (Vec<f32>, Vec<usize>) {
    let model = Arc::new(SortingModel::default());
    let texts: Vec<String> = values.iter().map(|value| format!("passage {value}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores =
        ListwiseReranker::new(Arc::clone(&model) as Arc<dyn LanguageModel>).score("q", &texts).unwrap();
    let windows = model.windows.lock().unwrap().clone();
    (scores, windows)
}

#[test]
fn the_best_passage_rises_through_the_windows() {
    let values: Vec<u32> = (0..45).collect();
    let (scores, windows) = listwise(&values);
    assert_eq!(windows, [20, 20, 20, 15], "windows end at 45, 35, 25 and 15");
    let mut order: Vec<usize> = (0..45).collect();
    order.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
    assert_eq!(order[..10], [44, 43, 42, 41, 40, 39, 38, 37, 36, 35]);
    assert_eq!(scores[44], 1.0);
}

#[test]
fn few_passages_need_one_call_and_one_passage_none() {
    assert_eq!(listwise(&[2, 3, 1]), (vec![2.0 / 3.0, 1.0, 1.0 / 3.0], vec![3]));
    assert_eq!(listwise(&[5]), (vec![1.0], vec![]));
    assert_eq!(listwise(&[]), (vec![], vec![]));
}

#[test]
fn an_answer_without_any_order_is_an_error() {
    let model = Arc::new(ScriptedModel::new().answer("Question", "They are all good."));
    let outcome = ListwiseReranker::new(model).score("q", &["a", "b"]);
    assert!(matches!(outcome, Err(RerankError::UnreadableAnswer { .. })), "{outcome:?}");
}

struct Judge(LanguageModelDescription);

impl LanguageModel for Judge {
    fn description(&self) -> &LanguageModelDescription {
        &self.0
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        assert_eq!(request.token_probabilities, self.0.gives_token_probabilities);
        let yes: f32 = if request.user_text().contains("good passage") { 0.9 } else { 0.1 };
        let text = if yes > 0.5 { "Yes" } else { "No" };
        let alternatives = vec![("Yes".to_owned(), yes.ln()), ("No".to_owned(), (1.0 - yes).ln())];
        let token = TokenProbability {
            token: text.to_owned(),
            log_probability: yes.max(1.0 - yes).ln(),
            alternatives,
        };
        let token_probabilities = if request.token_probabilities { vec![token] } else { Vec::new() };
        Ok(Completion { text: text.to_owned(), token_probabilities, ..Completion::default() })
    }
}

#[test]
fn each_passage_is_judged_by_itself() {
    for (gives_token_probabilities, expected) in [(true, [0.1, 0.9]), (false, [0.0, 1.0])] {
        let description =
            LanguageModelDescription { gives_token_probabilities, ..LanguageModelDescription::default() };
        let reranker = PointwiseReranker::new(Arc::new(Judge(description)));
        let scores = reranker.score("q", &["bad one", "good passage"]).unwrap();
        assert!(
            scores.iter().zip(expected).all(|(score, expected)| (score - expected).abs() < 1e-5),
            "{scores:?}"
        );
    }
}
