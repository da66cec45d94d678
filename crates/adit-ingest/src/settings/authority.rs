use serde::{Deserialize, Serialize};

/// One `[[authority]]` rule: the documents for which everything that it names holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthoritySection {
    /// Glob over the document's source path, such as `policies/**`.
    pub path: Option<String>,
    /// Beginning of the source, such as `https://intranet.example/`.
    pub source: Option<String>,
    /// Conditions on metadata, as `--filter` writes them.
    pub filter: Vec<String>,
    /// What the odds of its passages are multiplied by. Usual: 1.5 for what binds, 1.2 for what is checked,
    /// 1 for the rest, 0.7 for chat and drafts.
    pub factor: f64,
}
