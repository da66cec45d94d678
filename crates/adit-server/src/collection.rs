use adit_core::{ReadScope, Scope};
use adit_index::Facet;
use adit_retrieve::{RetrieveError, Retriever};

/// Titles named in a description.
const NAMED_TITLES: usize = 12;
/// Characters of a title that are named.
const TITLE_CHARACTERS: usize = 60;

/// What a reader may see, described for a model that must decide whether to ask.
pub(crate) struct Collection {
    pub(crate) documents: u64,
    pub(crate) facets: Vec<Facet>,
}

impl Collection {
    pub(crate) fn look(retriever: &Retriever, scope: &Scope) -> Result<Self, RetrieveError> {
        let counts = retriever.catalog().view()?.state_counts(ReadScope::Reader(scope))?;
        let facets = retriever.index().snapshot().facets(scope);
        Ok(Self { documents: counts.searchable + counts.partial, facets })
    }

    /// One or two sentences: how many documents, of which types and languages, and some titles.
    pub(crate) fn description(&self) -> String {
        if self.documents == 0 {
            return "The collection is empty for this reader.".to_owned();
        }
        let mut text = format!("The collection holds {} documents", self.documents);
        if let Some(types) = self.values("type") {
            text += &format!(" ({types})");
        }
        if let Some(languages) = self.values("language") {
            text += &format!(", languages: {languages}");
        }
        text.push('.');
        let titles: Vec<String> = self
            .facets
            .iter()
            .filter(|facet| facet.key == "title")
            .flat_map(|facet| &facet.values)
            .take(NAMED_TITLES)
            .map(|value| format!("\"{}\"", value.value.chars().take(TITLE_CHARACTERS).collect::<String>()))
            .collect();
        if !titles.is_empty() {
            text += &format!(" Among them: {}.", titles.join(", "));
        }
        text
    }

    fn values(&self, key: &str) -> Option<String> {
        let facet = self.facets.iter().find(|facet| facet.key == key)?;
        let values: Vec<&str> = facet.values.iter().take(8).map(|value| value.value.as_str()).collect();
        Some(values.join(", "))
    }
}
