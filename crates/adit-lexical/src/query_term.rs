use crate::analysis::{QueryWord, analyse_query};
use crate::bm25::inverse_document_frequency;
use crate::query::body_or_identifiers;
use crate::schema::Fields;
use crate::segment::Segment;

/// One word of a question and how rare it is in the collection.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The terms it may stand as in a text, one for every way the collection's languages stem it.
    pub terms: Vec<String>,
    /// Whether it is a whole identifier, such as `err_4021`, and `terms` has just that.
    pub is_identifier: bool,
    /// Chunks that have it; 0 where none has.
    pub document_frequency: u64,
    /// Lucene's inverse document frequency; the largest there is for a word that no chunk has.
    pub inverse_document_frequency: f32,
}

/// The words of `query`, each once, in its order.
pub(crate) fn query_terms(
    query: &str,
    languages: &[String],
    segments: &[Segment],
    fields: Fields,
) -> std::io::Result<Vec<QueryTerm>> {
    let documents: u64 = segments.iter().map(|segment| u64::from(segment.document_count())).sum();
    let mut found: Vec<QueryTerm> = Vec::new();
    for word in analyse_query(query, languages) {
        let (is_identifier, terms) = match word {
            QueryWord::Body(terms) => (false, terms),
            QueryWord::Identifier(term) => (true, vec![term]),
        };
        if found.iter().any(|known| known.is_identifier == is_identifier && known.terms == terms) {
            continue;
        }
        let (kind, field) = body_or_identifiers(is_identifier, fields);
        let mut document_frequency = 0;
        for term in &terms {
            let key = tantivy::Term::from_field_text(field, term);
            let mut frequency = 0;
            for segment in segments {
                frequency += segment.term_info(kind, &key)?.map_or(0, |info| u64::from(info.doc_freq));
            }
            document_frequency = document_frequency.max(frequency);
        }
        let inverse_document_frequency = inverse_document_frequency(documents, document_frequency);
        found.push(QueryTerm { terms, is_identifier, document_frequency, inverse_document_frequency });
    }
    Ok(found)
}
