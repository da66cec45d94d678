//! The truth: documents, versions, states, chunks, vectors, access rights and the numbered log of changes, in SQLite.
