use serde::{Deserialize, Serialize};

/// The log of searches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// Whether searches are logged at all.
    pub searches: bool,
    /// Regular expressions; what they match is taken out of a question before it is stored, besides the
    /// built-in rules for keys, tokens and passwords.
    pub redact: Vec<String>,
    /// Whether e-mail addresses are taken out too.
    pub redact_emails: bool,
    /// The oldest searches go when the log is larger.
    pub max_bytes: u64,
}

impl Default for LogSection {
    fn default() -> Self {
        Self {
            searches: true,
            redact: Vec::new(),
            redact_emails: false,
            max_bytes: adit_log::DEFAULT_MAX_BYTES,
        }
    }
}

impl LogSection {
    /// The rules, compiled.
    ///
    /// # Errors
    /// [`adit_log::RedactionError`]; settings that [`Settings::load`] has read have none.
    pub fn redaction(&self) -> Result<adit_log::Redaction, adit_log::RedactionError> {
        adit_log::Redaction::compile(&self.redact, self.redact_emails)
    }
}
