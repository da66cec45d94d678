use crate::VectorError;

/// How segments are built and searched. Everything but the dimension may differ between segments of one set.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSettings {
    /// Length of a vector.
    pub dimension: usize,
    /// `M` of HNSW: links a node takes when it is inserted; it may have twice as many on the lowest level.
    pub connectivity: usize,
    /// Candidates kept while the links of a node are looked for.
    pub ef_construction: usize,
    /// Fewer vectors than this get no graph: scanning them is quicker than walking.
    pub graph_from_vectors: usize,
    /// Threads of a build.
    pub build_threads: usize,
}

impl VectorSettings {
    /// The settings the measurements are made with: `M` 16, `ef_construction` 128, two threads.
    #[must_use]
    pub fn for_dimension(dimension: usize) -> Self {
        Self {
            dimension,
            connectivity: 16,
            ef_construction: 128,
            graph_from_vectors: 2_000,
            build_threads: 2,
        }
    }

    pub(crate) fn check(&self) -> Result<(), VectorError> {
        let complain = |detail: &str| Err(VectorError::Settings { detail: detail.to_owned() });
        match self {
            Self { dimension: 0 | 65_537.., .. } => complain("the dimension must be 1 to 65536"),
            Self { connectivity: ..2 | 129.., .. } => complain("the connectivity must be 2 to 128"),
            Self { ef_construction: 0 | 65_537.., .. } => complain("ef_construction must be 1 to 65536"),
            _ => Ok(()),
        }
    }
}
