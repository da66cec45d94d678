use std::collections::HashMap;

use serde_json::{Map, Value};

/// Which calls of reading tools were made, and where their results are. Bounded by the budget of tool calls.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    made: HashMap<String, usize>,
}

impl Memory {
    /// The number of the result that an earlier call with the same meaning had.
    pub(crate) fn result_of(&self, name: &str, arguments: &Map<String, Value>) -> Option<usize> {
        self.made.get(&key(name, arguments)).copied()
    }

    pub(crate) fn remember(&mut self, name: &str, arguments: &Map<String, Value>, result: usize) {
        self.made.entry(key(name, arguments)).or_insert(result);
    }
}

/// A search for `Paid leave?` is one for `paid  leave`. Other arguments count letter by letter.
fn key(name: &str, arguments: &Map<String, Value>) -> String {
    let mut sorted: Vec<(&String, String)> = arguments
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(argument, value)| match value {
            Value::String(text) if name == "search_docs" && argument == "query" => (argument, plain(text)),
            other => (argument, other.to_string()),
        })
        .collect();
    sorted.sort();
    format!("{name}{sorted:?}")
}

/// In lower case, without punctuation at the ends of words, which codes such as `R-17` keep inside.
fn plain(text: &str) -> String {
    let lowered = text.to_lowercase();
    let words = lowered
        .split_whitespace()
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_mean_the_same_are_one() {
        let arguments = |value: serde_json::Value| value.as_object().unwrap().clone();
        let mut memory = Memory::default();
        memory.remember("search_docs", &arguments(serde_json::json!({"query": "Paid leave, R-17?"})), 3);
        let found = |name: &str, value| memory.result_of(name, &arguments(value));
        assert_eq!(
            found("search_docs", serde_json::json!({"limit": null, "query": " paid  leave r-17"})),
            Some(3)
        );
        assert_eq!(found("search_docs", serde_json::json!({"query": "paid leave r-18"})), None);
        assert_eq!(found("search_docs", serde_json::json!({"query": "paid leave r-17", "limit": 2})), None);
        assert_eq!(found("grep", serde_json::json!({"query": "Paid leave, R-17?"})), None);
    }
}
