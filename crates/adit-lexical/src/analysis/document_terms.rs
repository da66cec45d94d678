use super::identifiers::for_each_identifier;
use super::language::LanguageAnalyser;
use super::normalisation::{lower_case, normalise};
use super::words::for_each_word;

/// What is indexed of one chunk.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DocumentTerms {
    /// Terms of the main field in reading order; their number is the chunk's length.
    pub body: Vec<String>,
    /// Whole identifiers.
    pub identifiers: Vec<String>,
}

/// Analyses a chunk's text, or a part of one, in the language `code`.
#[must_use]
pub fn analyse_document(text: &str, code: &str) -> DocumentTerms {
    let analyser = LanguageAnalyser::of(code);
    let normal = normalise(text);
    let mut terms = DocumentTerms::default();
    for_each_identifier(&normal, &mut |identifier| terms.identifiers.push(identifier));
    let lower = lower_case(&normal);
    for_each_word(&lower, &mut |word| {
        if word.is_spaced {
            terms.body.extend(analyser.term(word.text).map(std::borrow::Cow::into_owned));
        } else {
            terms.body.push(word.text.to_owned());
        }
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_counts_words_only() {
        let terms = analyse_document("The company's error ERR_4021 is well-known.", "en");
        assert_eq!(terms.body, ["compani", "error", "err", "4021", "well", "known"]);
        assert_eq!(terms.identifiers, ["err_4021"]);
    }
}
