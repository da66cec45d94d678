use adit_core::{ChunkId, Passage, PassageScores};

/// A passage with these words, for unit tests.
pub(crate) fn passage(id: &str, text: &str) -> Passage {
    Passage {
        id: id.parse().unwrap(),
        chunk: ChunkId(1),
        source: "rules.md".to_owned(),
        title: "Rules".to_owned(),
        heading_path: vec!["Rules".to_owned()],
        page_start: None,
        page_end: None,
        char_start: 0,
        char_end: text.chars().count(),
        table_header: None,
        text: text.to_owned(),
        also_in: Vec::new(),
        warnings: Vec::new(),
        scores: PassageScores { rank: 1, score: 0.9, ..PassageScores::default() },
        token_count: 10,
    }
}
