use adit_core::DocumentId;
use rusqlite::Connection;

use crate::record::text;
use crate::{CatalogError, CatalogView};

/// How a document names another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// By path or URI, as in [`adit_core::DocumentRecord::source`]; relative ones are resolved already.
    Path,
    /// By a label, as in [`adit_core::CitationLabel::normal`].
    Citation,
}

impl LinkKind {
    fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Citation => "citation",
        }
    }

    fn from_name(name: &str) -> Result<Self, CatalogError> {
        [Self::Path, Self::Citation]
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| CatalogError::unreadable("kind of link", name))
    }
}

/// What a document version points to. The target is a name, whether or not a document of that name is
/// there: it may come later, or be one that a reader may not see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentLink {
    /// How the target is named.
    pub kind: LinkKind,
    /// The name.
    pub target: String,
    /// How often.
    pub occurrences: u32,
}

/// A link of a living document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLink {
    /// The document that points.
    pub from: DocumentId,
    /// Where to.
    pub link: DocumentLink,
}

impl CatalogView {
    /// The links of every living document, by document. Takes no scope: for the graph that is narrowed to a
    /// scope by each search.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn links(&self) -> Result<Vec<StoredLink>, CatalogError> {
        let connection = self.lock();
        if !has_links(&connection)? {
            return Ok(Vec::new());
        }
        let mut statement = connection.prepare_cached(
            "SELECT v.document_id, l.kind, l.target, l.occurrences
             FROM links l JOIN versions v USING (version_row) WHERE v.dead_sequence IS NULL
             ORDER BY v.document_id, l.kind, l.target",
        )?;
        let mut rows = statement.query([])?;
        let mut links = Vec::new();
        while let Some(row) = rows.next()? {
            let kind = LinkKind::from_name(text(row, 1)?)?;
            let link = DocumentLink { kind, target: row.get(2)?, occurrences: row.get(3)? };
            links.push(StoredLink { from: DocumentId::from_stored(text(row, 0)?), link });
        }
        Ok(links)
    }
}

/// A catalog of format 1 that was opened for reading only is read as it is.
fn has_links(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let mut statement =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'links')")?;
    statement.query_row([], |row| row.get(0))
}

/// Two links to one target are one that occurs as often as both.
pub(crate) fn insert(
    connection: &Connection,
    version_row: i64,
    links: &[DocumentLink],
) -> Result<(), CatalogError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO links (version_row, kind, target, occurrences) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET occurrences = occurrences + excluded.occurrences",
    )?;
    for link in links {
        statement.execute((version_row, link.kind.name(), &link.target, link.occurrences))?;
    }
    Ok(())
}
