//! The truth: documents, versions, states, chunks, vectors, access rights and the numbered log of
//! changes, in SQLite.
//!
//! One transaction commits a document version whole ([`Catalog::commit`]); that commit is the
//! acknowledgement and it is durable. Everything else Adit keeps on disk is derived from here by
//! reading [`CatalogView::changes`] after the last sequence number it knows.
//!
//! Rows are multi-version: each carries the sequence number at which it was born and, once replaced
//! or removed, the one at which it died. Dead rows stay readable until [`Catalog::purge_dead`], so an
//! index that is behind still finds the texts its snapshot names.

mod catalog;
mod change_log;
mod chunk_rows;
mod commit;
mod connection;
mod documents;
mod error;
mod grep;
mod links;
mod migration_links;
mod pending_vectors;
mod purge;
mod record;
mod schema;
mod text_pieces;
mod token_codes;
mod vector_blob;
mod version_rows;
mod view;

pub use catalog::Catalog;
pub use change_log::{Change, ChangeKind, ChunkSpan, IndexedDocument};
pub use chunk_rows::StoredChunk;
pub use commit::{Committed, NewVersion};
pub use documents::ContentState;
pub use error::CatalogError;
pub use grep::{GrepHit, GrepSummary};
pub use links::{DocumentLink, LinkKind, StoredLink};
pub use pending_vectors::TextKey;
pub use schema::FORMAT_VERSION;
pub use token_codes::{TokenCodeCoverage, TokenCodeRow};
pub use view::CatalogView;
