use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::AccessControl;

/// Name of a tenant: the outer wall between documents. Every document has exactly one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TenantId(String);

impl TenantId {
    /// The tenant of documents that name none.
    pub const DEFAULT_NAME: &'static str = "default";

    /// Checks and wraps a tenant's name.
    ///
    /// # Errors
    /// [`ScopeError::EmptyTenant`] for a blank name.
    pub fn new(name: &str) -> Result<Self, ScopeError> {
        let name = name.trim();
        if name.is_empty() { Err(ScopeError::EmptyTenant) } else { Ok(Self(name.to_owned())) }
    }

    /// The tenant named `default`.
    #[must_use]
    pub fn default_tenant() -> Self {
        Self(Self::DEFAULT_NAME.to_owned())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for TenantId {
    type Error = ScopeError;
    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(&name)
    }
}

impl From<TenantId> for String {
    fn from(tenant: TenantId) -> Self {
        tenant.0
    }
}

/// A user, group or role that an access control list may name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(pub String);

impl fmt::Display for Principal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Who is reading: one tenant and the principals the reader acts as.
///
/// Every read takes a scope; there is deliberately no `Default`, so code that forgets it does not
/// compile. An empty set of principals matches nothing that has an access control list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    tenant: TenantId,
    principals: BTreeSet<Principal>,
}

impl Scope {
    /// A reader in `tenant` acting as `principals`.
    #[must_use]
    pub fn new(tenant: TenantId, principals: impl IntoIterator<Item = Principal>) -> Self {
        Self { tenant, principals: principals.into_iter().collect() }
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The principals.
    #[must_use]
    pub fn principals(&self) -> &BTreeSet<Principal> {
        &self.principals
    }

    /// Whether a document of `tenant` with `access` may be read. The one place that decides.
    #[must_use]
    pub fn permits(&self, tenant: &TenantId, access: &AccessControl) -> bool {
        self.tenant == *tenant
            && match access {
                AccessControl::Tenant => true,
                AccessControl::Only(allowed) => allowed.iter().any(|one| self.principals.contains(one)),
            }
    }
}

/// Permission to see every document of every tenant, for operators of the home directory.
///
/// A type of its own so that no search can be unscoped by accident. Whoever makes one says why, and
/// the binary logs it.
#[derive(Debug, Clone)]
pub struct AdministratorScope {
    reason: String,
}

impl AdministratorScope {
    /// Takes the permission, recording the reason.
    #[must_use]
    pub fn assume(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }

    /// Why it was taken.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Either kind of scope, for reads that an operator may also make (listing, status, removal).
#[derive(Debug, Clone, Copy)]
pub enum ReadScope<'a> {
    /// An ordinary reader.
    Reader(&'a Scope),
    /// An operator.
    Administrator(&'a AdministratorScope),
}

impl ReadScope<'_> {
    /// Whether a document of `tenant` with `access` may be read.
    #[must_use]
    pub fn permits(&self, tenant: &TenantId, access: &AccessControl) -> bool {
        match self {
            Self::Reader(scope) => scope.permits(tenant, access),
            Self::Administrator(_) => true,
        }
    }
}

/// A scope that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScopeError {
    /// The user's fault: a tenant needs a name.
    #[error("a tenant needs a name that is not blank")]
    EmptyTenant,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(tenant: &str, principals: &[&str]) -> Scope {
        Scope::new(TenantId::new(tenant).unwrap(), principals.iter().map(|name| Principal((*name).into())))
    }

    #[test]
    fn no_principals_match_nothing_that_has_a_list() {
        let acme = TenantId::new("acme").unwrap();
        let payroll = AccessControl::Only(vec![Principal("payroll".into())]);
        assert!(!scope("acme", &[]).permits(&acme, &payroll));
        assert!(scope("acme", &["payroll"]).permits(&acme, &payroll));
        assert!(scope("acme", &[]).permits(&acme, &AccessControl::Tenant));
        assert!(!scope("globex", &["payroll"]).permits(&acme, &payroll));
        assert!(!scope("acme", &["payroll"]).permits(&acme, &AccessControl::Only(vec![])));
    }
}
