use std::ops::ControlFlow;

use adit_core::{DocumentId, DocumentRecord, ReadScope, StateCounts, TenantId};
use rusqlite::{OptionalExtension, Row};

use crate::record::{
    self, LIVING, RECORD_COLUMNS, VERSION_ROW_COLUMN, optional_text, read_record, text, unsigned,
};
use crate::{Catalog, CatalogError, CatalogView, text_pieces};

/// What ingestion compares a source with, to leave unchanged files alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentState {
    /// See [`DocumentRecord::content_hash`].
    pub content_hash: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time, milliseconds since 1970.
    pub modified_unix_ms: Option<i64>,
    /// `searchable`, `partial`, `failed` or `skipped`.
    pub state_name: String,
}

impl Catalog {
    /// What is stored about `source` in `tenant`; `None` when it is not.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn content_state(
        &self,
        tenant: &TenantId,
        source: &str,
    ) -> Result<Option<ContentState>, CatalogError> {
        self.view()?.content_state(tenant, source)
    }
}

impl CatalogView {
    /// What is stored about `source` in `tenant`. Takes no scope: for ingestion, which owns the source.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn content_state(
        &self,
        tenant: &TenantId,
        source: &str,
    ) -> Result<Option<ContentState>, CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(&format!(
            "SELECT r.content_hash, v.size_bytes, v.modified_unix_ms, v.state_name FROM {LIVING}
             WHERE v.tenant = ?1 AND v.source = ?2"
        ))?;
        let found = statement
            .query_row([tenant.as_str(), source], |row| {
                Ok(ContentState {
                    content_hash: row.get(0)?,
                    size_bytes: unsigned(row.get(1)?),
                    modified_unix_ms: row.get(2)?,
                    state_name: row.get(3)?,
                })
            })
            .optional()?;
        Ok(found)
    }

    /// The living version of one document; `None` when it does not exist or may not be read, which
    /// cannot be told apart.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn document(
        &self,
        id: &DocumentId,
        scope: ReadScope<'_>,
    ) -> Result<Option<DocumentRecord>, CatalogError> {
        Ok(self.find_living(id, scope)?.map(|(record, _)| record))
    }

    /// The extracted text of one document; empty when nothing could be read from it, `None` as in
    /// [`CatalogView::document`].
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn document_text(
        &self,
        id: &DocumentId,
        scope: ReadScope<'_>,
    ) -> Result<Option<String>, CatalogError> {
        self.find_living(id, scope)?
            .map(|(_, version_row)| text_pieces::read_all(&self.lock(), version_row))
            .transpose()
    }

    /// The living version of every document in scope, by source, then tenant.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn documents(&self, scope: ReadScope<'_>) -> Result<Vec<DocumentRecord>, CatalogError> {
        let mut documents = Vec::new();
        self.for_each_living(scope, &mut |record, _| {
            documents.push(record);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(documents)
    }

    /// How many documents in scope are in each state, counted now.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn state_counts(&self, scope: ReadScope<'_>) -> Result<StateCounts, CatalogError> {
        let connection = self.lock();
        // Documents with the same rights are permitted or not together, and there are few kinds of rights.
        let mut statement = connection.prepare_cached(&format!(
            "SELECT v.tenant, r.access, v.state_name, count(*) FROM {LIVING} GROUP BY 1, 2, 3"
        ))?;
        let mut rows = statement.query([])?;
        let mut counts = StateCounts::default();
        while let Some(row) = rows.next()? {
            if !row_is_permitted(row, 0, 1, scope)? {
                continue;
            }
            let count = unsigned(row.get(3)?);
            match text(row, 2)? {
                "searchable" => counts.searchable += count,
                "partial" => counts.partial += count,
                "failed" => counts.failed += count,
                "skipped" => counts.skipped += count,
                other => return Err(CatalogError::unreadable("state", other)),
            }
        }
        Ok(counts)
    }

    fn find_living(
        &self,
        id: &DocumentId,
        scope: ReadScope<'_>,
    ) -> Result<Option<(DocumentRecord, i64)>, CatalogError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(&format!("SELECT {RECORD_COLUMNS} FROM {LIVING} WHERE v.document_id = ?1"))?;
        let mut rows = statement.query([id.as_str()])?;
        match rows.next()? {
            Some(row) if row_is_permitted(row, 1, 6, scope)? => {
                Ok(Some((read_record(row)?, row.get(VERSION_ROW_COLUMN)?)))
            }
            _ => Ok(None),
        }
    }

    /// Shows every living document in scope with its version's row.
    pub(crate) fn for_each_living(
        &self,
        scope: ReadScope<'_>,
        visit: &mut dyn FnMut(DocumentRecord, i64) -> Result<ControlFlow<()>, CatalogError>,
    ) -> Result<(), CatalogError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(&format!("SELECT {RECORD_COLUMNS} FROM {LIVING} ORDER BY v.source, v.tenant"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if row_is_permitted(row, 1, 6, scope)?
                && visit(read_record(row)?, row.get(VERSION_ROW_COLUMN)?)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }
}

/// The one place of this crate where a scope is applied to a row.
fn row_is_permitted(
    row: &Row<'_>,
    tenant_column: usize,
    access_column: usize,
    scope: ReadScope<'_>,
) -> Result<bool, CatalogError> {
    let tenant = record::tenant(text(row, tenant_column)?)?;
    let access = record::access_from_sql(optional_text(row, access_column)?)?;
    Ok(scope.permits(&tenant, &access))
}
