use adit_core::Passage;
use adit_lexical::analyse_document;
use adit_retrieve::sentence_ranges;

use super::ClaimProblem;
use super::dates::dates;
use super::figures::{Figure, figures};
use super::names::missing_names;
use super::negation::negation_mismatch;
use super::quotations::missing_quotation;
use crate::TermSource;
use crate::passage_terms::{TextTerms, context_of, coverage};

/// The passages that claims are held against, analysed once.
pub(super) struct Grounds<'a> {
    passages: Vec<Ground<'a>>,
}

struct Ground<'a> {
    passage: &'a Passage,
    /// Words, title, headings and table header: what may be said of it.
    whole_text: String,
    language: &'static str,
    whole: TextTerms,
    context: TextTerms,
    sentences: Vec<(&'a str, TextTerms)>,
    figures: Vec<Figure>,
    dates: Vec<String>,
}

impl<'a> Grounds<'a> {
    pub(super) fn new(passages: &'a [Passage], terms: TermSource<'_>) -> Self {
        Self { passages: passages.iter().map(|passage| Ground::new(passage, terms)).collect() }
    }
}

impl<'a> Ground<'a> {
    fn new(passage: &'a Passage, terms: TermSource<'_>) -> Self {
        let language = terms.language_of(&passage.text);
        let context = context_of(passage);
        let whole_text = format!("{context}\n{}", passage.text);
        let sentences = sentence_ranges(&passage.text).into_iter().filter_map(|range| {
            let sentence = range.slice(&passage.text)?;
            Some((sentence, TextTerms::of(sentence, language)))
        });
        Self {
            passage,
            language,
            whole: TextTerms::of(&whole_text, language),
            context: TextTerms::of(&context, language),
            sentences: sentences.collect(),
            figures: figures(&whole_text),
            dates: dates(&whole_text).into_iter().map(|date| date.iso).collect(),
            whole_text,
        }
    }
}

/// What speaks for and against a claim.
pub(super) struct Support {
    /// Weight of the claim's words that stand together, 0 to 1.
    pub(super) support: f32,
    /// Hard facts that do not agree.
    pub(super) problems: Vec<ClaimProblem>,
}

/// Holds `claim` against the passages at the places `cited` among those shown.
pub(super) fn check_support(
    claim: &str,
    cited: &[usize],
    grounds: &Grounds<'_>,
    terms: TermSource<'_>,
) -> Support {
    let cited: Vec<&Ground<'_>> = cited.iter().filter_map(|place| grounds.passages.get(*place)).collect();
    let Some(first) = cited.first() else { return Support { support: 0.0, problems: Vec::new() } };
    let claim_terms = terms.terms(claim);
    // A claim that cites two passages takes words from both: the best window of each, together.
    let mut together = TextTerms::default();
    let mut nearest: Option<(f32, &str)> = None;
    for ground in &cited {
        together.add(&ground.context);
        let mut best: Option<(f32, TextTerms)> = None;
        for place in 0..ground.sentences.len() {
            let window = window_terms(ground, place);
            let covered = coverage(&claim_terms, |term| window.has(term));
            if best.as_ref().is_none_or(|(most, _)| covered > *most) {
                best = Some((covered, window));
            }
            if let Some((sentence, own)) = ground.sentences.get(place) {
                let own_coverage = coverage(&claim_terms, |term| own.has(term));
                if nearest.is_none_or(|(most, _)| own_coverage > most) {
                    nearest = Some((own_coverage, sentence));
                }
            }
        }
        if let Some((_, window)) = best {
            together.add(&window);
        }
    }
    let support = coverage(&claim_terms, |term| together.has(term));
    let texts: Vec<&str> = cited.iter().map(|ground| ground.whole_text.as_str()).collect();
    let mut problems = missing_figures_and_dates(claim, &cited);
    problems.extend(missing_identifiers(claim, &cited));
    problems.extend(missing_quotation(claim, &texts).map(ClaimProblem::QuotationMissing));
    let has_word = |word: &str| {
        let lowered = word.to_lowercase();
        texts.iter().any(|text| text.to_lowercase().contains(&lowered))
            || analyse_document(word, first.language)
                .body
                .iter()
                .all(|term| cited.iter().any(|ground| ground.whole.has_body(term)))
    };
    problems
        .extend(missing_names(claim, first.language, &has_word).into_iter().map(ClaimProblem::NameMissing));
    if let Some((_, sentence)) = nearest {
        problems.extend(negation_mismatch(claim, sentence, first.language).map(ClaimProblem::Negation));
    }
    Support { support, problems }
}

/// The words of a sentence and its two neighbours: what a pronoun stands for is often next door.
fn window_terms(ground: &Ground<'_>, place: usize) -> TextTerms {
    let mut window = TextTerms::default();
    for (_, terms) in ground.sentences.iter().take(place + 2).skip(place.saturating_sub(1)) {
        window.add(terms);
    }
    window.add(&ground.context);
    window
}

fn missing_figures_and_dates(claim: &str, cited: &[&Ground<'_>]) -> Vec<ClaimProblem> {
    let mut problems = Vec::new();
    let claimed_dates = dates(claim);
    for date in &claimed_dates {
        // A date without its year is the beginning of no other.
        if !cited.iter().any(|ground| ground.dates.iter().any(|known| date.agrees_with(known))) {
            problems.push(ClaimProblem::DateMissing(date.text.clone()));
        }
    }
    for figure in figures(claim) {
        let is_in_date = claimed_dates.iter().any(|date| date.range.contains(figure.range));
        let stands = cited.iter().any(|ground| ground.figures.iter().any(|known| figure.agrees_with(known)));
        if !is_in_date && !stands {
            problems.push(ClaimProblem::NumberMissing(figure.text));
        }
    }
    problems
}

fn missing_identifiers(claim: &str, cited: &[&Ground<'_>]) -> Vec<ClaimProblem> {
    let mut missing = Vec::new();
    for identifier in analyse_document(claim, "und").identifiers {
        // Dates have a check of their own that knows their other forms.
        let is_date = identifier
            .chars()
            .all(|character| character.is_ascii_digit() || matches!(character, '-' | '.' | '/' | ':'));
        let stands = cited.iter().any(|ground| {
            ground.whole.has_identifier(&identifier)
                || ground.passage.text.to_lowercase().contains(&identifier)
        });
        if !is_date && !stands && !missing.contains(&ClaimProblem::IdentifierMissing(identifier.clone())) {
            missing.push(ClaimProblem::IdentifierMissing(identifier));
        }
    }
    missing
}
