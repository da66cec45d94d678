use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::postings::TermInfo;

use crate::analysis::{QueryWord, analyse_query};
use crate::bm25::{Bm25Parameters, LengthNorms, inverse_document_frequency};
use crate::group_cursor::GroupCursor;
use crate::schema::Fields;
use crate::segment::{Segment, WordField};

/// A query looked up in every segment, ready to be scored.
pub(crate) struct PreparedQuery {
    /// By falling weight, then by term: the order in which a document's score is summed up, always.
    pub(crate) groups: Vec<PreparedGroup>,
    body_norms: LengthNorms,
    identifier_norms: LengthNorms,
}

/// One query word.
pub(crate) struct PreparedGroup {
    pub(crate) field: WordField,
    pub(crate) alternatives: Vec<Alternative>,
    /// The largest of the alternatives', as Lucene's `SynonymQuery` takes it.
    pub(crate) document_frequency: u64,
    pub(crate) inverse_document_frequency: f32,
    weight: f32,
}

/// One term that a query word may stand as.
pub(crate) struct Alternative {
    pub(crate) term: String,
    /// One entry a segment.
    pub(crate) infos: Vec<Option<TermInfo>>,
}

impl PreparedQuery {
    /// Analyses `query` and looks its words up. Words that no segment has are dropped.
    ///
    /// The statistics are Lucene's: over all segments, deleted chunks included until a merge drops them.
    pub(crate) fn new(
        query: &str,
        languages: &[String],
        segments: &[Segment],
        fields: Fields,
        parameters: Bm25Parameters,
    ) -> std::io::Result<Self> {
        let documents: u64 = segments.iter().map(|segment| u64::from(segment.document_count())).sum();
        let words: u64 = segments.iter().map(Segment::word_count).sum();
        let mut counts: BTreeMap<(WordField, Vec<String>), u32> = BTreeMap::new();
        for word in analyse_query(query, languages) {
            let key = match word {
                QueryWord::Body(terms) => (WordField::Body, terms),
                QueryWord::Identifier(term) => (WordField::Identifiers, vec![term]),
            };
            *counts.entry(key).or_default() += 1;
        }
        let mut groups = Vec::with_capacity(counts.len());
        for ((field, terms), count) in counts {
            groups.extend(PreparedGroup::new(field, terms, count, documents, segments, fields)?);
        }
        // A stable sort of a list that is already in the order of its terms.
        groups.sort_by(|first, second| second.weight.total_cmp(&first.weight));
        let average_length = if documents == 0 { 0.0 } else { words as f64 / documents as f64 };
        Ok(Self {
            groups,
            body_norms: LengthNorms::new(parameters, average_length),
            identifier_norms: LengthNorms::without_length(parameters.k1),
        })
    }

    /// Saturation by length in `field`.
    pub(crate) fn norms(&self, field: WordField) -> &LengthNorms {
        match field {
            WordField::Body => &self.body_norms,
            WordField::Identifiers => &self.identifier_norms,
        }
    }

    /// Cursors for the groups that `segment`, the one at `position`, has; in the order of the groups.
    pub(crate) fn cursors(
        &self,
        segment: &Segment,
        position: usize,
    ) -> std::io::Result<Vec<GroupCursor<'_>>> {
        let mut cursors = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            if let Some(cursor) = self.cursor(group, segment, position)? {
                cursors.push(cursor);
            }
        }
        Ok(cursors)
    }

    /// The cursor of one group, or `None` when the segment does not have it.
    pub(crate) fn cursor(
        &self,
        group: &PreparedGroup,
        segment: &Segment,
        position: usize,
    ) -> std::io::Result<Option<GroupCursor<'_>>> {
        let alternatives = group
            .alternatives
            .iter()
            .filter_map(|alternative| alternative.infos.get(position).and_then(Option::as_ref))
            .map(|info| segment.postings(group.field, info))
            .collect::<std::io::Result<Vec<_>>>()?;
        let has_any = !alternatives.is_empty();
        Ok(has_any.then(|| GroupCursor::new(alternatives, group.weight, self.norms(group.field))))
    }
}

/// The field of whole identifiers, or the main one.
pub(crate) fn body_or_identifiers(
    is_identifier: bool,
    fields: Fields,
) -> (WordField, tantivy::schema::Field) {
    if is_identifier { (WordField::Identifiers, fields.identifiers) } else { (WordField::Body, fields.body) }
}

impl PreparedGroup {
    fn new(
        field: WordField,
        terms: Vec<String>,
        count_in_query: u32,
        documents: u64,
        segments: &[Segment],
        fields: Fields,
    ) -> std::io::Result<Option<Self>> {
        let (_, tantivy_field) = body_or_identifiers(field == WordField::Identifiers, fields);
        let mut alternatives = Vec::with_capacity(terms.len());
        let mut document_frequency = 0;
        for term in terms {
            let key = Term::from_field_text(tantivy_field, &term);
            let infos = segments
                .iter()
                .map(|segment| segment.term_info(field, &key))
                .collect::<std::io::Result<Vec<_>>>()?;
            let frequency: u64 = infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum();
            if frequency > 0 {
                document_frequency = document_frequency.max(frequency);
                alternatives.push(Alternative { term, infos });
            }
        }
        if alternatives.is_empty() {
            return Ok(None);
        }
        let inverse_document_frequency = inverse_document_frequency(documents, document_frequency);
        let weight = inverse_document_frequency * count_in_query as f32;
        Ok(Some(Self { field, alternatives, document_frequency, inverse_document_frequency, weight }))
    }
}
