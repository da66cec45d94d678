use std::collections::BTreeSet;

use adit_index::Facet;

use super::DateRange;

/// Words that name a kind of document, and the `type` values that they stand for.
const KINDS: &[(&[&str], &[&str])] = &[
    (&["pdf", "pdfs"], &["pdf"]),
    (
        &["slide", "slides", "presentation", "presentations", "deck", "folien", "präsentation"],
        &["pptx", "odp", "ppt"],
    ),
    (&["spreadsheet", "spreadsheets", "excel", "tabellenblatt"], &["spreadsheet", "csv"]),
    (&["email", "emails", "e-mail", "e-mails", "mail", "mails"], &["email"]),
    (&["notebook", "notebooks"], &["notebook"]),
];
/// Metadata keys that hold the date a document stands for, the best first.
const DATE_KEYS: &[&str] = &["effective", "date", "published", "updated", "created"];

/// Conditions, in the form that [`adit_core::Filter::parse`] reads, that the question names and the collection
/// can answer: kinds of document that occur in it, and dates where documents carry one. Nothing that no
/// document has is ever asked for.
pub(super) fn named_conditions(question: &str, dates: Option<DateRange>, facets: &[Facet]) -> Vec<String> {
    let mut conditions = Vec::new();
    conditions.extend(kind_condition(question, facets));
    conditions.extend(dates.and_then(|dates| date_condition(dates, facets)));
    conditions
}

fn kind_condition(question: &str, facets: &[Facet]) -> Option<String> {
    let types = facets.iter().find(|facet| facet.key == "type")?;
    let present: BTreeSet<String> = types.values.iter().map(|one| one.value.to_lowercase()).collect();
    let lowered = question.to_lowercase();
    let words: BTreeSet<&str> =
        lowered.split(|character: char| !character.is_alphanumeric() && character != '-').collect();
    let (_, stands_for) = KINDS.iter().find(|(names, _)| names.iter().any(|name| words.contains(name)))?;
    let wanted: Vec<&str> = stands_for.iter().copied().filter(|kind| present.contains(*kind)).collect();
    // A kind that all documents are of narrows nothing.
    let narrows = !wanted.is_empty() && wanted.len() < types.distinct_values;
    narrows.then(|| format!("type={}", wanted.join(",")))
}

fn date_condition(dates: DateRange, facets: &[Facet]) -> Option<String> {
    let key = DATE_KEYS.iter().find(|key| facets.iter().any(|facet| facet.key == **key))?;
    let bound = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string()).unwrap_or_default();
    let is_open = dates.from.is_none() && dates.to.is_none();
    (!is_open).then(|| format!("{key}={}..{}", bound(dates.from), bound(dates.to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_index::FacetValue;
    use jiff::civil::date;

    fn facet(key: &str, values: &[&str]) -> Facet {
        let values: Vec<FacetValue> =
            values.iter().map(|value| FacetValue { value: (*value).to_owned(), documents: 1 }).collect();
        Facet { key: key.to_owned(), documents: 3, distinct_values: values.len(), values }
    }

    #[test]
    fn only_what_the_collection_has_becomes_a_condition() {
        let facets = [facet("type", &["pdf", "md"]), facet("effective", &["2023-01-01"])];
        let dates = Some(DateRange { from: Some(date(2023, 1, 1)), to: None });
        let conditions = named_conditions("which PDF speaks of fees", dates, &facets);
        assert_eq!(conditions, ["type=pdf", "effective=2023-01-01.."]);
        assert!(adit_core::Filter::parse(&conditions).is_ok());
        assert!(named_conditions("the slides on fees", None, &facets).is_empty(), "there are no slides");
        assert!(
            named_conditions("the pdf", dates, &[facet("type", &["pdf"])]).is_empty(),
            "all are, none is dated"
        );
    }
}
