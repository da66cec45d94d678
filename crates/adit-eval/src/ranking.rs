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
    ///
    /// trec_eval keeps scores as 32-bit floats, so scores that differ only beyond them are ties here too:
    /// figures of a ranking in memory are then those of the run file written from it. NaN stands last.
    #[must_use]
    pub fn new(mut places: Vec<RankedDocument>) -> Self {
        places.sort_by(|left, right| {
            let by_score = comparable(right.score).total_cmp(&comparable(left.score));
            by_score.then_with(|| right.document.cmp(&left.document))
        });
        Self { places }
    }

    /// The places, best first.
    #[must_use]
    pub fn places(&self) -> &[RankedDocument] {
        &self.places
    }
}

/// The score as trec_eval compares it, made fit for a total order.
fn comparable(score: f64) -> f32 {
    // Adding 0 makes -0 and 0 one number.
    if score.is_nan() { f32::NEG_INFINITY } else { score as f32 + 0.0 }
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
    fn scores_are_compared_as_32_bit_floats() {
        let order = |scores: [f64; 2]| {
            let place =
                |(document, score): (&str, f64)| RankedDocument { document: document.to_owned(), score };
            let ranking = Ranking::new(["a", "b"].into_iter().zip(scores).map(place).collect());
            ranking.places().iter().map(|place| place.document.clone()).collect::<String>()
        };
        assert_eq!(order([1.000_000_2, 1.0]), "ab");
        assert_eq!(order([1.000_000_01, 1.0]), "ba");
        assert_eq!(order([1e-300, 0.0]), "ba");
        assert_eq!(order([0.0, -0.0]), "ba");
        assert_eq!(order([-1e9, f64::NAN]), "ab");
        assert_eq!(order([-1e9, -f64::NAN]), "ab");
    }

    #[test]
    fn a_document_stands_where_its_best_chunk_stands() {
        let ranked = [(1, 0.9), (2, 0.8), (3, 0.7)];
        let documents = best_chunk_per_document(&ranked, |chunk| Some((chunk % 2).to_string()));
        assert_eq!(documents.len(), 2);
        assert_eq!((documents[0].document.as_str(), documents[0].score), ("1", 0.9));
    }
}
