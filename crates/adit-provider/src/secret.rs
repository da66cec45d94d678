use std::fmt;

use serde::{Serialize, Serializer};

/// What stands for a secret wherever one would be shown.
const REDACTED: &str = "[redacted]";
/// Shorter keys are not looked for in texts: every text holds them by chance.
const SHORTEST_SEARCHED_BYTES: usize = 4;

/// A key that must not be shown: `Debug`, `Display` and serde give `[redacted]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without the white space around it.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The key itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the key replaced, for what a provider sends back.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SEARCHED_BYTES {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_a_secret_shows_it() {
        let secret = Secret::new(" sk-live-1234\n");
        assert_eq!(secret.expose(), "sk-live-1234");
        let shown = format!("{secret} {secret:?} {}", serde_json::to_string(&secret).unwrap());
        assert!(!shown.contains("1234") && shown.contains(REDACTED), "{shown}");
        assert_eq!(secret.redact("bad key sk-live-1234."), "bad key [redacted].");
        assert_eq!(Secret::new("a").redact("a b"), "a b");
    }
}
