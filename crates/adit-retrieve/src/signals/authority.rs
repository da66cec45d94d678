//! Semantic nearness is not authority: a forum post may say it better than the policy that binds.

use adit_core::{Filter, MetadataValue, SignalFactor};
use adit_index::DocumentEntry;
use globset::{Glob, GlobMatcher};

use super::selection::SignalKind;
use super::settings::{AuthorityRule, FACTOR_BOUNDS};
use crate::RetrieveError;

/// The rules of `[[authority]]`, ready to match.
#[derive(Debug, Clone, Default)]
pub(super) struct AuthorityRules {
    rules: Vec<CompiledRule>,
}

#[derive(Debug, Clone)]
struct CompiledRule {
    path: Option<GlobMatcher>,
    source: Option<String>,
    filter: Filter,
    factor: f64,
    /// The rule in words, for the trace.
    described: String,
}

impl AuthorityRules {
    pub(super) fn compile(rules: &[AuthorityRule]) -> Result<Self, RetrieveError> {
        let rules = rules.iter().enumerate().map(|(index, rule)| compile(index + 1, rule));
        Ok(Self { rules: rules.collect::<Result<_, _>>()? })
    }

    /// The factor of a document: of the first rule that matches, nothing where none does or it says 1.
    pub(super) fn factor(&self, entry: &DocumentEntry) -> Option<SignalFactor> {
        let sources = entry.metadata.get("source").map(Vec::as_slice).unwrap_or_default();
        let rule = self.rules.iter().find(|rule| rule.matches(entry, sources))?;
        #[expect(clippy::cast_possible_truncation, reason = "a factor of two or three digits")]
        let factor = rule.factor as f32;
        (factor != 1.0).then(|| SignalFactor {
            signal: SignalKind::Authority.name().to_owned(),
            factor,
            reason: rule.described.clone(),
        })
    }
}

impl CompiledRule {
    fn matches(&self, entry: &DocumentEntry, sources: &[MetadataValue]) -> bool {
        // A document may name a `source` of its own beside its path; a rule holds for either.
        let any_source = |test: &dyn Fn(&str) -> bool| sources.iter().any(|one| test(&one.to_text()));
        self.path.as_ref().is_none_or(|glob| any_source(&|source| glob.is_match(source)))
            && self.source.as_ref().is_none_or(|start| any_source(&|source| source.starts_with(start)))
            && self.filter.accepts(&entry.metadata)
    }
}

fn compile(number: usize, rule: &AuthorityRule) -> Result<CompiledRule, RetrieveError> {
    let refuse =
        |detail: String| RetrieveError::SignalSettings { detail: format!("authority {number}: {detail}") };
    let (low, high) = FACTOR_BOUNDS;
    if !(low..=high).contains(&rule.factor) {
        return Err(refuse(format!("the factor {} is not between {low} and {high}", rule.factor)));
    }
    if rule.path.is_none() && rule.source.is_none() && rule.filter.is_empty() {
        return Err(refuse("names neither `path` nor `source` nor `metadata`".to_owned()));
    }
    let path = rule.path.as_ref().map(|path| {
        Glob::new(path)
            .map(|glob| glob.compile_matcher())
            .map_err(|error| refuse(format!("path `{path}`: {error}")))
    });
    let mut parts = Vec::new();
    parts.extend(rule.path.as_ref().map(|path| format!("path {path}")));
    parts.extend(rule.source.as_ref().map(|source| format!("source {source}")));
    parts.extend(rule.filter.conditions.iter().map(|condition| format!("metadata {}", condition.key)));
    Ok(CompiledRule {
        path: path.transpose()?,
        source: rule.source.clone(),
        filter: rule.filter.clone(),
        factor: rule.factor,
        described: format!("rule {number}: {}", parts.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use adit_catalog::ChunkSpan;
    use adit_core::{AccessControl, ChunkId, DocumentId, Metadata, TenantId};

    use super::*;

    fn entry(source: &str, keys: &[(&str, &str)]) -> DocumentEntry {
        let tenant = TenantId::default_tenant();
        let text = |value: &str| vec![MetadataValue::Text(value.to_owned())];
        let mut metadata: Metadata =
            keys.iter().map(|(key, value)| ((*key).to_owned(), text(value))).collect();
        metadata.insert("source".to_owned(), text(source));
        DocumentEntry {
            id: DocumentId::derive(&tenant, source),
            tenant,
            access: AccessControl::Tenant,
            metadata,
            span: ChunkSpan { first: ChunkId(1), count: 1 },
        }
    }

    fn rule(path: Option<&str>, filter: &[&str], factor: f64) -> AuthorityRule {
        let filter = Filter::parse(filter).unwrap();
        AuthorityRule { path: path.map(str::to_owned), source: None, filter, factor }
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let rules = AuthorityRules::compile(&[
            rule(Some("policies/drafts/**"), &[], 1.0),
            rule(Some("policies/**"), &[], 1.5),
            rule(None, &["kind=forum"], 0.7),
        ])
        .unwrap();
        let factor = |entry: DocumentEntry| rules.factor(&entry).map(|found| (found.factor, found.reason));
        assert_eq!(factor(entry("policies/a.md", &[])), Some((1.5, "rule 2: path policies/**".to_owned())));
        assert_eq!(factor(entry("policies/drafts/a.md", &[])), None);
        assert_eq!(
            factor(entry("chat/a.md", &[("kind", "Forum")])),
            Some((0.7, "rule 3: metadata kind".to_owned()))
        );
        assert_eq!(factor(entry("chat/a.md", &[])), None);
    }

    #[test]
    fn rules_that_cannot_be_meant_are_refused() {
        for (bad, word) in [
            (rule(None, &[], 1.5), "names neither"),
            (rule(Some("a[**"), &[], 1.5), "a[**"),
            (rule(Some("a"), &[], 0.0), "not between"),
            (rule(Some("a"), &[], f64::NAN), "not between"),
        ] {
            let error = AuthorityRules::compile(&[bad]).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("authority 1"), "{error}");
        }
    }
}
