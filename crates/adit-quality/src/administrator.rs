//! Readers that together see everything a search can find, for measurements of the whole index.

use std::collections::{BTreeMap, BTreeSet};

use adit_core::{AccessControl, DocumentRecord, Principal, Scope, TenantId};

/// One reader for each tenant of `records`, acting as every principal that any of its documents names. What
/// these do not see, no reader sees.
pub(crate) fn readers_of_everything(records: &[DocumentRecord]) -> Vec<Scope> {
    let mut tenants: BTreeMap<TenantId, BTreeSet<Principal>> = BTreeMap::new();
    for record in records {
        let principals = tenants.entry(record.tenant.clone()).or_default();
        if let AccessControl::Only(named) = &record.access {
            principals.extend(named.iter().cloned());
        }
    }
    tenants.into_iter().map(|(tenant, principals)| Scope::new(tenant, principals)).collect()
}
