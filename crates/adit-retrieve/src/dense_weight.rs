//! How much the search by meaning counts beside the search by words.

use std::fmt;

use adit_core::Embedder;

use crate::{Mode, SearchRequest};

/// For a question in a language that the embedder was not trained for: its ranks are then closer to chance
/// than to meaning. Measured on XQuAD in German, Thai and Chinese with an English model, every weight above
/// 0 lost (docs/measurements); at 0 what meaning alone finds still follows what words find.
const FOREIGN_LANGUAGE_WEIGHT: f32 = 0.0;

/// The weight of the dense list, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DenseWeight {
    pub(crate) value: f32,
    /// The language that the embedder was not trained for.
    foreign_language: Option<String>,
}

impl DenseWeight {
    /// The request's own weight, or one that fits the question's language. `languages` are those of the
    /// collection's documents.
    pub(crate) fn of(
        languages: &[String],
        embedder: Option<&dyn Embedder>,
        request: &SearchRequest<'_>,
    ) -> Self {
        let by_language = Self::by_language(languages, embedder, request);
        match request.dense_weight {
            Some(value) => Self { value: value.max(0.0), foreign_language: None },
            None => by_language,
        }
    }

    /// The weight that fits the question's language alone.
    pub(crate) fn by_language(
        languages: &[String],
        embedder: Option<&dyn Embedder>,
        request: &SearchRequest<'_>,
    ) -> Self {
        let trained = embedder.map(Embedder::languages).unwrap_or_default();
        if request.mode != Mode::Hybrid || trained.is_empty() {
            return Self { value: 1.0, foreign_language: None };
        }
        let foreign_language = foreign_language(request.query, languages, trained);
        let value = if foreign_language.is_some() { FOREIGN_LANGUAGE_WEIGHT } else { 1.0 };
        Self { value, foreign_language }
    }
}

/// A question's language counts when documents are in it too: a short question is easily taken for a
/// language that nobody uses here. Where it cannot be told, the documents decide, if none of them is in a
/// language of the model.
fn foreign_language(query: &str, languages: &[String], trained: &[&str]) -> Option<String> {
    let known: Vec<&str> = languages.iter().map(String::as_str).filter(|code| *code != "und").collect();
    let asked = adit_lexical::detect_language(query);
    if known.contains(&asked) {
        return (!trained.contains(&asked)).then(|| asked.to_owned());
    }
    let none_is_trained = !known.is_empty() && known.iter().all(|code| !trained.contains(code));
    none_is_trained.then(|| known.join(", "))
}

impl fmt::Display for DenseWeight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.foreign_language {
            Some(language) => write!(
                formatter,
                ", dense weight {}: the embedder was not trained for `{language}`",
                self.value
            ),
            None if self.value == 1.0 => Ok(()),
            None => write!(formatter, ", dense weight {}", self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(codes: &[&str]) -> Vec<String> {
        codes.iter().map(|code| (*code).to_owned()).collect()
    }

    #[test]
    fn a_question_in_another_language_is_noticed_where_documents_are_in_it() {
        let german = "Wie viele Tage Urlaub bekommt eine neue Mitarbeiterin im ersten Jahr?";
        assert_eq!(foreign_language(german, &languages(&["en", "de"]), &["en"]), Some("de".to_owned()));
        assert_eq!(foreign_language(german, &languages(&["en"]), &["en"]), None);
        assert_eq!(foreign_language(german, &languages(&["en", "de"]), &["en", "de"]), None);
    }

    #[test]
    fn where_it_cannot_be_told_the_documents_decide() {
        assert_eq!(foreign_language("ERR_4021", &languages(&["th"]), &["en"]), Some("th".to_owned()));
        assert_eq!(foreign_language("ERR_4021", &languages(&["en", "th"]), &["en"]), None);
        assert_eq!(foreign_language("ERR_4021", &languages(&["und"]), &["en"]), None);
    }
}
