//! Text analysis, lexical index, vector segments, filters and snapshots: everything derived from the catalog.
