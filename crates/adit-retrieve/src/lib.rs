//! The cascade: search, fuse, assemble, explain.
