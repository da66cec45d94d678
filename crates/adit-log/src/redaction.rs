use std::borrow::Cow;

use adit_core::Trace;
use regex::Regex;
use thiserror::Error;

use crate::EvidenceFigures;

/// Stands where something was taken out.
pub const REDACTED: &str = "[redacted]";

/// Shapes of secrets that people paste into a question: what a vendor's keys begin with, tokens in a
/// header, JSON web tokens, private keys, passwords that are assigned, and passwords inside an address.
const SECRETS: [&str; 8] = [
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    r"(?i)\bbearer\s+[a-z0-9._~+/=-]{16,}",
    r"\b(?:sk|pk|rk|whsec)[-_][A-Za-z0-9_-]{16,}",
    r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|npm_|pypi-|AIza|ya29\.)[A-Za-z0-9._-]{16,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r#"(?i)\b(?:password|passwd|passphrase|pwd|secret|api[_-]?key|(?:access|auth|refresh)[_-]?token)["']?\s*[:=]\s*["']?[^\s"']+"#,
    r"://[^/\s:@]+:[^/\s@]+@",
];

/// An address in the form almost all have; RFC 5322 allows more.
const E_MAIL_ADDRESS: &str = r"(?i)\b[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b";

/// From this length on a piece of a secret is taken out wherever it stands, not only as a quoted word.
const TELLING_PIECE_CHARACTERS: usize = 6;

/// What is taken out of a question before it is stored.
#[derive(Debug, Clone)]
pub struct Redaction {
    rules: Vec<Regex>,
}

/// A rule that is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the redaction rule `{rule}` is not a regular expression: {detail}")]
pub struct RedactionError {
    /// As it was written.
    pub rule: String,
    /// What is wrong with it.
    pub detail: String,
}

/// Text with secrets taken out, and what they were.
struct Cleaned {
    text: String,
    removed: Vec<String>,
}

impl Redaction {
    /// The built-in rules for secrets, those for e-mail addresses if `e_mail_addresses`, and `rules`
    /// (regular expressions in the syntax of the `regex` crate).
    ///
    /// # Errors
    /// [`RedactionError`] for the first rule that cannot be compiled.
    pub fn compile(rules: &[String], e_mail_addresses: bool) -> Result<Self, RedactionError> {
        let e_mail = e_mail_addresses.then_some(E_MAIL_ADDRESS);
        let all = SECRETS.into_iter().chain(e_mail).chain(rules.iter().map(String::as_str));
        let compiled = all.map(|rule| {
            Regex::new(rule)
                .map_err(|error| RedactionError { rule: rule.to_owned(), detail: error.to_string() })
        });
        Ok(Self { rules: compiled.collect::<Result<_, _>>()? })
    }

    /// `text` with every match of a rule replaced by [`REDACTED`].
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.clean(text).text
    }

    /// The trace and the evidence without secrets: the question, and every sentence that repeats words of it.
    pub(crate) fn redact_search(
        &self,
        trace: &Trace,
        evidence: Option<&EvidenceFigures>,
    ) -> (Trace, Option<EvidenceFigures>) {
        let Cleaned { text: query, removed } = self.clean(&trace.query);
        let pieces = pieces(&removed);
        let scrub = |text: &str| self.scrub(text, &removed, &pieces);
        let mut clean = Trace { query, ..trace.clone() };
        for stage in &mut clean.stages {
            stage.detail = scrub(&stage.detail);
        }
        for notice in &mut clean.notices {
            *notice = scrub(notice);
        }
        let evidence = evidence.map(|evidence| {
            let mut evidence = evidence.clone();
            evidence.missing_terms.retain(|term| !pieces.iter().any(|piece| piece == term));
            evidence.missing_terms.iter_mut().for_each(|term| *term = scrub(term));
            evidence
        });
        (clean, evidence)
    }

    /// The rules see the whole question, but a notice quotes it word by word, so a secret's words are
    /// taken out one by one as well.
    fn scrub(&self, text: &str, removed: &[String], pieces: &[String]) -> String {
        let mut text = Cow::Borrowed(text);
        for secret in removed {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), REDACTED));
            }
        }
        for piece in pieces {
            let quoted = format!("`{piece}`");
            if piece.chars().nth(TELLING_PIECE_CHARACTERS - 1).is_some() && text.contains(piece.as_str()) {
                text = Cow::Owned(text.replace(piece.as_str(), REDACTED));
            } else if text.contains(&quoted) {
                text = Cow::Owned(text.replace(&quoted, REDACTED));
            }
        }
        self.redact(&text)
    }

    fn clean(&self, text: &str) -> Cleaned {
        let mut cleaned = Cleaned { text: text.to_owned(), removed: Vec::new() };
        for rule in &self.rules {
            let found: Vec<String> = rule
                .find_iter(&cleaned.text)
                .map(|found| found.as_str().to_owned())
                .filter(|found| !found.is_empty() && found != REDACTED)
                .collect();
            if !found.is_empty() {
                cleaned.text = rule.replace_all(&cleaned.text, REDACTED).into_owned();
                cleaned.removed.extend(found);
            }
        }
        cleaned
    }
}

/// The words of what was taken out, longest first so that none is cut by a shorter one. They are cut both
/// at white space and at every mark, since nobody here knows how a stage cuts its words.
fn pieces(removed: &[String]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for secret in removed {
        let at_marks = |character: char| !character.is_alphanumeric();
        let inside = |character: char| at_marks(character) && !matches!(character, '-' | '_' | '.' | '\'');
        let words = secret.split_whitespace().chain(secret.split(inside)).chain(secret.split(at_marks));
        pieces.extend(words.map(|word| word.trim_matches(at_marks)).map(str::to_owned));
    }
    pieces.retain(|piece| piece.chars().nth(1).is_some());
    pieces.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    pieces.dedup();
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::StageTrace;

    /// Secrets are put together here so that no scanner takes this file for a leak.
    fn secret(prefix: &str) -> String {
        format!("{prefix}{}", "a1B2".repeat(6))
    }

    fn built_in() -> Redaction {
        Redaction::compile(&[], false).unwrap()
    }

    #[test]
    fn secrets_go_and_ordinary_questions_stay() {
        let secrets = [
            secret("sk-"),
            secret("sk-proj_"),
            secret("ghp_"),
            secret("xoxb-"),
            format!("AKIA{}", "A1B2".repeat(4)),
            format!("Authorization: Bearer {}", secret("")),
            format!("eyJ{}.{}.{}", secret(""), secret(""), secret("")),
            format!("password = {}", secret("")),
            format!("API_KEY:\"{}\"", secret("")),
            format!("postgres://admin:{}@db.example/x", secret("")),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", secret("")),
        ];
        for one in secrets {
            let text = built_in().redact(&format!("why does {one} fail"));
            assert!(text.contains(REDACTED) && !text.contains("a1B2a1B2"), "{one}: {text}");
            assert!(text.starts_with("why does"), "{text}");
        }
        for ordinary in [
            "how do I reset my password?",
            "what is a bearer token and a secret",
            "error ERR_4021 in R-17 at 3f9a1c20b7d4#2",
            "commit 6061478f0c1d2e3a4b5c6d7e8f9a0b1c2d3e4f50",
            "mail to anna@example.org about https://example.org/a:b",
            "what is the sk-learn pk_id default",
        ] {
            assert_eq!(built_in().redact(ordinary), ordinary);
        }
    }

    #[test]
    fn addresses_go_where_asked_and_rules_of_ones_own_hold() {
        let rules = [r"\bPAT-\d+\b".to_owned()];
        let redaction = Redaction::compile(&rules, true).unwrap();
        let text = redaction.redact("what did Anna.B@mail.example.org write about PAT-0042?");
        assert_eq!(text, "what did [redacted] write about [redacted]?");
        let error = Redaction::compile(&["(".to_owned()], false).unwrap_err();
        assert_eq!(error.rule, "(");
    }

    #[test]
    fn no_sentence_of_the_trace_repeats_the_secret() {
        let key = format!("Zx{}", "9q".repeat(10));
        let trace = Trace {
            query: format!("does Bearer {key} mean jo@x.example is in"),
            stages: vec![StageTrace {
                stage: "lexical".into(),
                items_in: 1,
                items_out: 1,
                elapsed_us: 1,
                detail: format!("looked for {key}"),
            }],
            notices: vec![format!(
                "weak evidence: no passage contains `{key}`, `jo`, `mean`; nothing to join"
            )],
            ..Trace::default()
        };
        let evidence = EvidenceFigures {
            missing_terms: vec![key.clone(), "jo".into(), "x.example".into(), "mean".into()],
            ..EvidenceFigures::default()
        };
        let redaction = Redaction::compile(&[], true).unwrap();
        let (clean, evidence) = redaction.redact_search(&trace, Some(&evidence));
        let stored = serde_json::to_string(&clean).unwrap();
        assert!(
            !stored.contains("Zx9q") && !stored.contains("x.example") && !stored.contains("`jo`"),
            "{stored}"
        );
        assert!(stored.contains("`mean`") && stored.contains("to join"), "{stored}");
        assert_eq!(evidence.unwrap().missing_terms, ["mean"]);
    }

    #[test]
    fn an_empty_match_changes_nothing() {
        let redaction = Redaction::compile(&["x*".to_owned()], false).unwrap();
        assert_eq!(redaction.redact("abc"), "abc");
    }
}
