use std::collections::HashMap;
use std::sync::Arc;

use adit_core::{AccessControl, Filter, Principal, Scope, TenantId};
use parking_lot::Mutex;
use roaring::RoaringBitmap;

use crate::document_table::{DocumentTable, insert_span};
use crate::metadata_columns::MetadataColumns;

/// Answers which chunks a search may return: [`Scope::permits`] and [`Filter::accepts`] as bitmaps.
#[derive(Debug)]
pub(crate) struct AllowedChunks {
    by_tenant: HashMap<TenantId, RoaringBitmap>,
    without_list: RoaringBitmap,
    by_principal: HashMap<Principal, RoaringBitmap>,
    columns: MetadataColumns,
    cache: Mutex<RecentlyUsed>,
}

impl AllowedChunks {
    pub(crate) fn new(table: &DocumentTable, cached_filters: usize) -> Self {
        let mut by_tenant = HashMap::<TenantId, RoaringBitmap>::new();
        let mut by_principal = HashMap::<Principal, RoaringBitmap>::new();
        let mut without_list = RoaringBitmap::new();
        for entry in table.entries() {
            insert_span(by_tenant.entry(entry.tenant.clone()).or_default(), entry.span);
            match &entry.access {
                AccessControl::Tenant => insert_span(&mut without_list, entry.span),
                AccessControl::Only(principals) => {
                    for principal in principals {
                        insert_span(by_principal.entry(principal.clone()).or_default(), entry.span);
                    }
                }
            }
        }
        Self {
            by_tenant,
            without_list,
            by_principal,
            columns: MetadataColumns::new(table),
            cache: Mutex::new(RecentlyUsed::new(cached_filters)),
        }
    }

    pub(crate) fn within(&self, table: &DocumentTable, scope: &Scope, filter: &Filter) -> Arc<RoaringBitmap> {
        let key = (scope.clone(), format!("{filter:?}"));
        if let Some(found) = self.cache.lock().get(&key) {
            return found;
        }
        // Two threads may both work this out; that is cheaper than making all others wait.
        let allowed = Arc::new(self.work_out(table, scope, filter));
        self.cache.lock().insert(key, Arc::clone(&allowed));
        allowed
    }

    fn work_out(&self, table: &DocumentTable, scope: &Scope, filter: &Filter) -> RoaringBitmap {
        let Some(of_tenant) = self.by_tenant.get(scope.tenant()) else { return RoaringBitmap::new() };
        let mut readable = self.without_list.clone();
        for principal in scope.principals() {
            if let Some(chunks) = self.by_principal.get(principal) {
                readable |= chunks;
            }
        }
        readable &= of_tenant;
        match self.columns.matching(filter, table) {
            Some(matching) => readable & matching,
            None => readable,
        }
    }
}

type Key = (Scope, String);

/// A bounded map that forgets what was not asked for longest.
#[derive(Debug)]
struct RecentlyUsed {
    capacity: usize,
    clock: u64,
    entries: HashMap<Key, (u64, Arc<RoaringBitmap>)>,
}

impl RecentlyUsed {
    fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), clock: 0, entries: HashMap::new() }
    }

    fn get(&mut self, key: &Key) -> Option<Arc<RoaringBitmap>> {
        self.clock += 1;
        let (used, bitmap) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(Arc::clone(bitmap))
    }

    fn insert(&mut self, key: Key, bitmap: Arc<RoaringBitmap>) {
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            let oldest = self.entries.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.entries.remove(&oldest);
            }
        }
        self.clock += 1;
        self.entries.insert(key, (self.clock, bitmap));
    }
}
