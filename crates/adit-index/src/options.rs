use adit_core::Fingerprint;

/// How an index is opened.
#[derive(Debug, Clone)]
pub struct IndexOptions {
    /// What the caller will write and search with; another one than the catalog's is refused. `None`
    /// takes the catalog's.
    pub fingerprint: Option<Fingerprint>,
    /// Merge in a background thread as soon as a merge is due; otherwise only
    /// [`crate::SearchIndex::wait_for_merges`] merges.
    pub background_merges: bool,
    /// Vectors the tail may hold before a segment is built from it. A scan of so many costs less than
    /// walking one more graph.
    pub tail_limit_vectors: usize,
    /// Chunks whose token codes the tail may hold before a segment is built from it. The codes of a chunk
    /// weigh several times its vector, and every process that opens the index reads the tail from the catalog.
    pub token_tail_limit_chunks: usize,
    /// Segments of about the same size that are merged into one.
    pub merge_factor: usize,
    /// A segment is written anew when more than this share of it is dead, 0 to 1.
    pub dead_share_limit: f32,
    /// A writer checks every byte of the derived files on open while they are no larger than this
    /// together; above, it checks names and sizes, and `verify` reads the rest.
    pub full_check_limit_bytes: u64,
    /// Results of scopes and filters that a snapshot remembers.
    pub cached_filters: usize,
    /// Recall that the graph's `ef` is tuned to, 0 to 1.
    pub recall_target: f32,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            fingerprint: None,
            background_merges: true,
            tail_limit_vectors: 2_000,
            token_tail_limit_chunks: 500,
            merge_factor: 4,
            dead_share_limit: 0.3,
            full_check_limit_bytes: 1 << 30,
            cached_filters: 64,
            recall_target: 0.99,
        }
    }
}
