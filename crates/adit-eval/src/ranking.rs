use std::collections::HashSet;

/// One place of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedDocument {
    /// The document's id in the judgments.
    pub document: String,
    /// Higher is better.
    pub score: f64,
}

/// What a retriever returned for one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Places in trec_eval's order.
    places: Vec<RankedDocument>,
}

impl Ranking {
    /// Sorts as trec_eval does: by falling score, and documents of equal score by falling id, so that no
    /// run gains by the order in which it lists ties.
    #[must_use]
    pub fn new(mut places: Vec<RankedDocument>) -> Self {
        places.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then_with(|| right.document.cmp(&left.document))
        });
        Self { places }
    }

    /// The places, best first.
    #[must_use]
    pub fn places(&self) -> &[RankedDocument] {
        &self.places
    }
}

/// From ranked chunks to ranked documents: a document stands where its best chunk stands.
/// `document_of` names each chunk's document; `ranked` comes best first.
#[must_use]
pub fn best_chunk_per_document<C>(
    ranked: &[(C, f64)],
    mut document_of: impl FnMut(&C) -> Option<String>,
) -> Vec<RankedDocument> {
    let mut seen = HashSet::new();
    let mut documents = Vec::new();
    for (chunk, score) in ranked {
        if let Some(document) = document_of(chunk)
            && seen.insert(document.clone())
        {
            documents.push(RankedDocument { document, score: *score });
        }
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_stand_by_falling_id() {
        let place = |document: &str, score| RankedDocument { document: document.to_owned(), score };
        let ranking = Ranking::new(vec![place("a", 1.0), place("b", 1.0), place("c", 2.0)]);
        let ids: Vec<&str> = ranking.places().iter().map(|place| place.document.as_str()).collect();
        assert_eq!(ids, ["c", "b", "a"]);
    }

    #[test]
    fn a_document_stands_where_its_best_chunk_stands() {
        let ranked = [(1, 0.9), (2, 0.8), (3, 0.7)];
        let documents = best_chunk_per_document(&ranked, |chunk| Some((chunk % 2).to_string()));
        assert_eq!(documents.len(), 2);
        assert_eq!((documents[0].document.as_str(), documents[0].score), ("1", 0.9));
    }
}
