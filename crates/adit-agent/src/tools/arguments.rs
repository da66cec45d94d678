use serde_json::{Map, Value};

use crate::ToolFailure;

/// The most bytes of one text argument; a longer one is no query.
const MAX_TEXT_BYTES: usize = 8_000;

/// The arguments of one call. Names and kinds are checked; what a tool does not know, it refuses.
pub(super) struct Arguments<'a> {
    given: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// # Errors
    /// [`ToolFailure`] for an argument that is none of `known`.
    pub(super) fn new(given: &'a Map<String, Value>, known: &[&str]) -> Result<Self, ToolFailure> {
        match given.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self { given }),
            // The name is the model's and may be a document's: it is not repeated.
            Some(_) => Err(ToolFailure::new(
                "there is an argument that this tool does not have",
                format!("its arguments are {}", known.join(", ")),
            )),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, ToolFailure> {
        match self.given.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() && text.len() <= MAX_TEXT_BYTES => Ok(text),
            Some(Value::String(text)) if text.len() > MAX_TEXT_BYTES => {
                Err(ToolFailure::new(format!("`{name}` is too long"), "ask for less at once"))
            }
            _ => Err(ToolFailure::new(format!("`{name}` is missing or no text"), format!("give `{name}`"))),
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, ToolFailure> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().filter(|number| (least..=most).contains(number)) {
                Some(number) => Ok(Some(number)),
                None => Err(ToolFailure::new(
                    format!("`{name}` is no whole number from {least} to {most}"),
                    format!("give `{name}` as a number or leave it out"),
                )),
            },
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, ToolFailure> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(ToolFailure::new(format!("`{name}` is not true or false"), "leave it out")),
        }
    }
}
