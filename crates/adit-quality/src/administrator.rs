//! Readers that together see everything a search can find, for measurements of the whole index.

use std::collections::{BTreeMap, BTreeSet};

use adit_catalog::CatalogView;
use adit_core::{AccessControl, AdministratorScope, Principal, ReadScope, Scope, TenantId};

use crate::QualityError;

/// One reader for each tenant, acting as every principal that any of its documents names. What these do not
/// see, no reader sees.
pub(crate) fn readers_of_everything(
    view: &CatalogView,
    administrator: &AdministratorScope,
) -> Result<Vec<Scope>, QualityError> {
    let mut tenants: BTreeMap<TenantId, BTreeSet<Principal>> = BTreeMap::new();
    for record in view.documents(ReadScope::Administrator(administrator))? {
        let principals = tenants.entry(record.tenant).or_default();
        if let AccessControl::Only(named) = record.access {
            principals.extend(named);
        }
    }
    Ok(tenants.into_iter().map(|(tenant, principals)| Scope::new(tenant, principals)).collect())
}
