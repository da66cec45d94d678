use super::identifiers::query_identifiers;
use super::language::LanguageAnalyser;
use super::normalisation::{lower_case, normalise};
use super::words::for_each_word;

/// The most query words that are looked up; a pasted page is cut after these.
const MAX_QUERY_WORDS: usize = 1_024;

/// One word of a query: the terms it may stand as in the index, which count as one (synonyms).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum QueryWord {
    /// In the main field; one term for every way the collection's languages stem it.
    Body(Vec<String>),
    /// Whole, in the field of identifiers.
    Identifier(String),
}

/// Analyses a query for a collection whose documents are in `languages`; none counts as `und`.
///
/// A word that is a stop word in the query's own language is left out for every language: the rare
/// German sentence with the word `is` must not win an English question.
pub(crate) fn analyse_query(query: &str, languages: &[String]) -> Vec<QueryWord> {
    let normal = normalise(query);
    let lower = lower_case(&normal);
    let analysers: Vec<&LanguageAnalyser> = if languages.is_empty() {
        vec![LanguageAnalyser::of("und")]
    } else {
        languages.iter().map(|code| LanguageAnalyser::of(code)).collect()
    };
    let mut words = Vec::new();
    for_each_word(&lower, &mut |word| {
        if words.len() < MAX_QUERY_WORDS {
            words.push(word);
        }
    });
    let own = likely_language(&words.iter().map(|word| word.text).collect::<Vec<_>>(), &analysers);
    let mut found = Vec::new();
    for word in words {
        if !word.is_spaced {
            found.push(QueryWord::Body(vec![word.text.to_owned()]));
            continue;
        }
        if own.is_some_and(|analyser| analyser.term(word.text).is_none()) {
            continue;
        }
        let mut terms: Vec<String> = analysers
            .iter()
            .filter_map(|analyser| analyser.term(word.text))
            .map(std::borrow::Cow::into_owned)
            .collect();
        terms.sort_unstable();
        terms.dedup();
        if !terms.is_empty() {
            found.push(QueryWord::Body(terms));
        }
    }
    found.extend(query_identifiers(&normal).into_iter().take(MAX_QUERY_WORDS).map(QueryWord::Identifier));
    found
}

/// The language among `analysers` with the most stop words in the query; `None` when two are level.
fn likely_language<'a>(words: &[&str], analysers: &[&'a LanguageAnalyser]) -> Option<&'a LanguageAnalyser> {
    let mut best: Option<(&LanguageAnalyser, usize)> = None;
    let mut is_level = false;
    for &analyser in analysers {
        let count = words.iter().filter(|word| analyser.is_stop_word(word)).count();
        match best {
            Some((_, most)) if count < most => {}
            Some((_, most)) if count == most => is_level = true,
            _ => {
                best = Some((analyser, count));
                is_level = false;
            }
        }
    }
    best.filter(|(_, count)| *count > 0 && !is_level).map(|(analyser, _)| analyser)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(terms: &[&str]) -> QueryWord {
        QueryWord::Body(terms.iter().map(|term| (*term).to_owned()).collect())
    }

    fn languages(codes: &[&str]) -> Vec<String> {
        codes.iter().map(|code| (*code).to_owned()).collect()
    }

    #[test]
    fn one_word_is_one_group_over_the_languages() {
        let words = analyse_query("refunds", &languages(&["de", "en", "und"]));
        assert_eq!(words, [body(&["refund", "refunds"])]);
    }

    #[test]
    fn stop_words_of_the_question_go_for_every_language() {
        let words = analyse_query("what is in the contract", &languages(&["de", "en"]));
        assert!(!words.contains(&body(&["is"])), "{words:?}");
        assert!(!words.contains(&body(&["the"])), "{words:?}");
        let words = analyse_query("die Kündigung und der Vertrag", &languages(&["de", "en"]));
        assert!(
            !words
                .iter()
                .any(|word| matches!(word, QueryWord::Body(terms) if terms.contains(&"die".to_owned()))),
            "{words:?}"
        );
    }

    #[test]
    fn an_identifier_counts_whole_and_in_parts() {
        let words = analyse_query("ERR_4021", &[]);
        assert_eq!(words, [body(&["err"]), body(&["4021"]), QueryWord::Identifier("err_4021".into())]);
    }
}
