use std::collections::BTreeMap;

use serde::Serialize;

use crate::document_table::DocumentEntry;

/// Values listed for one key; a key with more (paths, titles) is no good as a list of choices.
const LISTED_VALUES: usize = 50;
/// Keys listed.
const LISTED_KEYS: usize = 100;
/// Different values of one key that are counted at all.
const COUNTED_VALUES: usize = 10_000;

/// A metadata key and its values among the documents a reader may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The key.
    pub key: String,
    /// Documents that have it.
    pub documents: u64,
    /// The most frequent values as they are written, with how many documents have each.
    pub values: Vec<FacetValue>,
    /// Different values, up to a bound of 10,000; more than `values` has when not all are listed.
    pub distinct_values: usize,
}

/// One value of a [`Facet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FacetValue {
    /// As a filter takes it.
    pub value: String,
    /// Documents that have it.
    pub documents: u64,
}

#[derive(Default)]
struct Counted {
    documents: u64,
    /// By the folded text: the first spelling met, and the count.
    values: BTreeMap<String, (String, u64)>,
}

pub(crate) fn count_facets<'a>(documents: impl Iterator<Item = &'a DocumentEntry>) -> Vec<Facet> {
    let mut keys = BTreeMap::<&str, Counted>::new();
    for document in documents {
        for (key, values) in &document.metadata {
            let counted = keys.entry(key).or_default();
            counted.documents += 1;
            for value in values {
                let text = value.to_text();
                let folded = text.to_lowercase();
                if counted.values.len() < COUNTED_VALUES || counted.values.contains_key(&folded) {
                    counted.values.entry(folded).or_insert((text, 0)).1 += 1;
                }
            }
        }
    }
    let mut facets: Vec<Facet> = keys.into_iter().map(|(key, counted)| facet(key, counted)).collect();
    facets.sort_by(|left, right| right.documents.cmp(&left.documents).then_with(|| left.key.cmp(&right.key)));
    facets.truncate(LISTED_KEYS);
    facets
}

fn facet(key: &str, counted: Counted) -> Facet {
    let distinct_values = counted.values.len();
    let values = counted.values.into_values();
    let mut values: Vec<FacetValue> =
        values.map(|(value, documents)| FacetValue { value, documents }).collect();
    values.sort_by(|left, right| {
        right.documents.cmp(&left.documents).then_with(|| left.value.cmp(&right.value))
    });
    values.truncate(LISTED_VALUES);
    Facet { key: key.to_owned(), documents: counted.documents, values, distinct_values }
}
