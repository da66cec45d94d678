use adit_core::{Condition, Filter, MetadataValue, Test};
use rmcp::model::JsonObject;
use serde_json::Value;

/// A call that cannot be answered as it stands; shown to the model, which can mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadCall {
    /// What is wrong.
    pub(crate) problem: String,
    /// What to do instead.
    pub(crate) hint: String,
}

impl BadCall {
    pub(crate) fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into() }
    }
}

/// The arguments of one call, taken out one by one; what is left over at the end is refused.
#[derive(Debug)]
pub(crate) struct Arguments {
    left: JsonObject,
    known: Vec<&'static str>,
}

impl Arguments {
    pub(crate) fn new(given: Option<JsonObject>) -> Self {
        Self { left: given.unwrap_or_default(), known: Vec::new() }
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        // Some clients send null for an optional argument they leave out.
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// A text that must be there.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, BadCall> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(BadCall::new(
                format!("`{name}` must be a text, not {}", kind(&other)),
                format!("give `{name}` as a text"),
            )),
            None => Err(BadCall::new(format!("`{name}` is missing"), format!("give `{name}` as a text"))),
        }
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(
        &mut self,
        name: &'static str,
        least: usize,
        most: usize,
    ) -> Result<Option<usize>, BadCall> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.filter(|number| (least..=most).contains(number)).map(Some).ok_or_else(|| {
            BadCall::new(
                format!("`{name}` is {value}"),
                format!("give a whole number from {least} to {most}, or leave it out"),
            )
        })
    }

    /// Conditions on metadata: each key has one value, a list of values, or a range such as
    /// `2026-01..2026-03` or `>=2024`.
    pub(crate) fn filter(&mut self, name: &'static str) -> Result<Filter, BadCall> {
        match self.take(name) {
            None => Ok(Filter::default()),
            Some(Value::Object(keys)) => {
                let conditions = keys.iter().filter(|(_, value)| !value.is_null());
                let conditions =
                    conditions.map(|(key, value)| condition(key, value)).collect::<Result<_, _>>()?;
                Ok(Filter { conditions })
            }
            Some(other) => Err(BadCall::new(
                format!("`{name}` must be an object, not {}", kind(&other)),
                format!("give `{name}` as an object, such as {{\"type\": [\"markdown\"]}}, or leave it out"),
            )),
        }
    }

    /// What nobody took, for a tool that checks its arguments itself.
    pub(crate) fn rest(self) -> JsonObject {
        self.left
    }

    /// Refuses arguments that nobody took.
    pub(crate) fn finish(self) -> Result<(), BadCall> {
        let known: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => Err(BadCall::new(
                format!("there is no argument `{unknown}`"),
                format!("the arguments are {}", known.join(", ")),
            )),
        }
    }
}

fn condition(key: &str, value: &Value) -> Result<Condition, BadCall> {
    let bad = || {
        BadCall::new(
            format!("the filter `{key}` cannot be {value}"),
            "give a value, a list of values, or a range such as \"2026-01..2026-03\" or \">=2024\"",
        )
    };
    let test = match value {
        Value::Array(values) if !values.is_empty() => {
            Test::AnyOf(values.iter().map(|value| single(value).ok_or_else(bad)).collect::<Result<_, _>>()?)
        }
        Value::String(text) => {
            let written =
                if text.starts_with(['<', '>']) { format!("{key}{text}") } else { format!("{key}={text}") };
            let parsed: Condition = written.parse().map_err(|_| bad())?;
            parsed.test
        }
        other => Test::AnyOf(vec![single(other).ok_or_else(bad)?]),
    };
    Ok(Condition { key: key.to_owned(), test })
}

fn single(value: &Value) -> Option<MetadataValue> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(MetadataValue::parse(text)),
        Value::Number(number) => number.as_f64().map(MetadataValue::Number),
        Value::Bool(flag) => Some(MetadataValue::Bool(*flag)),
        _ => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "yes or no",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(value: Value) -> Arguments {
        Arguments::new(value.as_object().cloned())
    }

    #[test]
    fn takes_what_fits_and_refuses_the_rest_with_a_hint() {
        let mut given = arguments(json!({"query": "refunds", "limit": 99, "colour": "red"}));
        assert_eq!(given.text("query").unwrap(), "refunds");
        assert!(given.number("limit", 1, 50).unwrap_err().hint.contains("1 to 50"));
        let left = given.finish().unwrap_err();
        assert!(left.problem.contains("`colour`") && left.hint.contains("`query`, `limit`"));
        assert!(arguments(json!({"query": 3})).text("query").unwrap_err().problem.contains("a number"));
        assert!(arguments(json!({})).text("query").is_err());
        assert_eq!(arguments(json!({"limit": null})).number("limit", 1, 5), Ok(None));
    }

    #[test]
    fn filters_are_values_lists_or_ranges() {
        let mut given =
            arguments(json!({"filters": {"team": ["sales", "legal"], "year": ">=2024", "final": true}}));
        let filter = given.filter("filters").unwrap();
        let expected = Filter::parse(&["final=true", "team=sales,legal", "year>=2024"]).unwrap();
        assert_eq!(filter, expected);
        assert!(arguments(json!({"filters": {"team": []}})).filter("filters").is_err());
        assert!(arguments(json!({"filters": "team=sales"})).filter("filters").is_err());
    }
}
