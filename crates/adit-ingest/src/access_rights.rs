use adit_core::{AccessControl, Metadata, MetadataValue, Principal, TenantId};
use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Serialize};

/// One `[[access]]` rule of `adit.toml`: documents whose path matches get this tenant and this list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessRule {
    /// Glob over the document's source path, such as `finance/**`.
    pub path: String,
    /// Its tenant.
    pub tenant: Option<String>,
    /// Its access control list; an empty list permits nobody.
    pub acl: Option<Vec<String>>,
}

/// Who owns a document, who may read it, and what else its author said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRights {
    /// Owner.
    pub tenant: TenantId,
    /// Readers.
    pub access: AccessControl,
    /// The other keys, without `tenant` and `acl`.
    pub metadata: Metadata,
}

/// The rules of `adit.toml`, ready to match.
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    rules: Vec<(GlobMatcher, AccessRule)>,
}

impl AccessRules {
    /// Prepares `rules`.
    ///
    /// # Errors
    /// A sentence that names the glob that cannot be read.
    pub fn compile(rules: &[AccessRule]) -> Result<Self, String> {
        let rules = rules
            .iter()
            .map(|rule| match Glob::new(&rule.path) {
                Ok(glob) => Ok((glob.compile_matcher(), rule.clone())),
                Err(error) => Err(format!("access.path `{}`: {error}", rule.path)),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    /// The first rule that matches `source`.
    #[must_use]
    pub fn matching(&self, source: &str) -> Option<&AccessRule> {
        self.rules.iter().find(|(glob, _)| glob.is_match(source)).map(|(_, rule)| rule)
    }

    /// The rights of the document at `source`. The operator's rule in `adit.toml` is stronger than the
    /// sidecar beside the file, and that is stronger than what the document says of itself.
    ///
    /// # Errors
    /// A sentence that says which value cannot be understood: a list that is not understood must
    /// never make a document readable.
    pub fn resolve(
        &self,
        source: &str,
        document: &Metadata,
        sidecar: Option<&Metadata>,
    ) -> Result<DocumentRights, String> {
        let mut metadata = with_lower_case_rights(document);
        metadata.extend(with_lower_case_rights(sidecar.unwrap_or(&Metadata::new())));
        let tenant_values = metadata.remove("tenant");
        let access_values = metadata.remove("acl");
        let rule = self.matching(source);
        let tenant = match rule.and_then(|rule| rule.tenant.as_deref()) {
            Some(tenant) => tenant_named(tenant)?,
            None => {
                tenant_values.map_or_else(|| Ok(TenantId::default_tenant()), |values| tenant_from(&values))?
            }
        };
        let access = match rule.and_then(|rule| rule.acl.as_ref()) {
            Some(acl) => AccessControl::Only(acl.iter().cloned().map(Principal).collect()),
            None => access_values.map_or(Ok(AccessControl::Tenant), |values| access_from(&values))?,
        };
        Ok(DocumentRights { tenant, access, metadata })
    }
}

/// `ACL` and `Tenant` mean what `acl` and `tenant` mean.
fn with_lower_case_rights(metadata: &Metadata) -> Metadata {
    let lower = |key: &String| {
        let is_rights_key = ["acl", "tenant"].iter().any(|known| key.eq_ignore_ascii_case(known));
        if is_rights_key { key.to_ascii_lowercase() } else { key.clone() }
    };
    metadata.iter().map(|(key, values)| (lower(key), values.clone())).collect()
}

fn tenant_named(name: &str) -> Result<TenantId, String> {
    TenantId::new(name).map_err(|error| error.to_string())
}

fn tenant_from(values: &[MetadataValue]) -> Result<TenantId, String> {
    match values {
        [value] => tenant_named(&value.to_text()),
        _ => Err(format!("`tenant` has {} values, expected one", values.len())),
    }
}

fn access_from(values: &[MetadataValue]) -> Result<AccessControl, String> {
    let mut principals = Vec::with_capacity(values.len());
    for value in values {
        match value {
            MetadataValue::Bool(_) => {
                return Err("`acl` is true or false, expected a list of principals".to_owned());
            }
            MetadataValue::Text(text) if text.trim().is_empty() => {
                return Err("`acl` holds a blank name, expected a list of principals".to_owned());
            }
            value => principals.push(Principal(value.to_text().trim().to_owned())),
        }
    }
    Ok(AccessControl::Only(principals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[&str]) -> Vec<MetadataValue> {
        values.iter().map(|value| MetadataValue::parse(value)).collect()
    }

    fn only(names: &[&str]) -> AccessControl {
        AccessControl::Only(names.iter().map(|name| Principal((*name).to_owned())).collect())
    }

    #[test]
    fn rule_is_stronger_than_sidecar_and_sidecar_stronger_than_front_matter() {
        let rules = AccessRules::compile(&[AccessRule {
            path: "pay/**".to_owned(),
            tenant: None,
            acl: Some(vec!["payroll".to_owned()]),
        }])
        .unwrap();
        let front: Metadata =
            [("acl".to_owned(), text(&["everyone"])), ("tenant".to_owned(), text(&["acme"]))].into();
        let side: Metadata = [("acl".to_owned(), text(&["hr"]))].into();
        let under_rule = rules.resolve("pay/a.md", &front, Some(&side)).unwrap();
        assert_eq!(under_rule.access, only(&["payroll"]));
        assert_eq!(under_rule.tenant.as_str(), "acme");
        assert_eq!(rules.resolve("other/a.md", &front, Some(&side)).unwrap().access, only(&["hr"]));
        assert_eq!(rules.resolve("other/a.md", &front, None).unwrap().access, only(&["everyone"]));
        assert_eq!(
            rules.resolve("other/a.md", &Metadata::new(), None).unwrap().access,
            AccessControl::Tenant
        );
    }

    #[test]
    fn what_is_not_understood_never_makes_a_document_readable() {
        let rules = AccessRules::default();
        let upper: Metadata = [("ACL".to_owned(), text(&["hr"]))].into();
        assert_eq!(rules.resolve("a.md", &upper, None).unwrap().access, only(&["hr"]));
        let empty: Metadata = [("acl".to_owned(), vec![])].into();
        assert_eq!(rules.resolve("a.md", &empty, None).unwrap().access, only(&[]));
        for bad in [text(&["true"]), vec![MetadataValue::Text(" ".to_owned())]] {
            assert!(rules.resolve("a.md", &[("acl".to_owned(), bad)].into(), None).is_err());
        }
        assert!(rules.resolve("a.md", &[("tenant".to_owned(), text(&["a", "b"]))].into(), None).is_err());
    }
}
