//! Whether to retrieve at all, with the arithmetic shown.
//!
//! The order of the questions and every threshold follow the project's two articles on when not to retrieve:
//! data is queried, what fits is read whole, code is searched literally, the rest is retrieved.

use serde::Serialize;

use crate::advice_costs::ContextCosts;
use crate::corpus_size::{TOKENS_PER_PAGE, pages};
use crate::error::{CostError, checked_amount, checked_share};
use crate::money::{format_count, format_share, format_usd};
use crate::price_table::Price;

/// Answers stay sharp up to about this many tokens, whatever window a model advertises.
pub const SHARP_TOKENS: u64 = 200_000;

/// From this share on a corpus counts as data, as code, or as asked for by identifiers: the larger half.
const MAJORITY: f64 = 0.5;

/// What is known of a corpus and of how it is used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorpusFacts {
    /// Files with readable text.
    pub files: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Share of the tokens that stand in tables and data files.
    pub tabular_share: f64,
    /// Share of the tokens that are source code.
    pub code_share: f64,
    /// Share of the questions that name an identifier or an exact phrase; `None` where nobody knows.
    pub identifier_question_share: Option<f64>,
    /// Files that change a day.
    pub changes_per_day: f64,
    /// Questions a day.
    pub questions_per_day: f64,
    /// The window of the model that answers.
    pub context_window_tokens: u64,
    /// Whether some readers may not see some documents.
    pub readers_differ: bool,
    /// What it is worth a month not to run an index.
    pub upkeep_usd_per_month: f64,
}

/// What to do with a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Put all of it into the prompt and cache it.
    Context,
    /// Retrieve passages.
    Retrieve,
    /// Give the model a query language over the data.
    Query,
    /// Let the model search it literally.
    Grep,
}

impl Recommendation {
    /// One sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Context => "put the whole corpus into the prompt, first, and let the provider cache it",
            Self::Retrieve => {
                "retrieve: index the corpus and give the model the passages that fit the question"
            }
            Self::Query => "query it as data: load the tables into a database and give the model SQL",
            Self::Grep => "grep it: give the model literal search and file reading before any embedding",
        }
    }
}

/// A recommendation and how it came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// What to do.
    pub recommendation: Recommendation,
    /// Each step of the arithmetic, one sentence or two.
    pub steps: Vec<String>,
    /// What would change the recommendation, or is not known.
    pub caveats: Vec<String>,
    /// What a question costs read whole and retrieved, where the corpus fits.
    pub costs: Option<ContextCosts>,
}

impl Advice {
    /// The advice as text, steps numbered.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text =
            format!("Recommendation: {}.\n\nHow it was worked out:\n", self.recommendation.sentence());
        for (number, step) in self.steps.iter().enumerate() {
            text += &format!("{:>3}. {step}\n", number + 1);
        }
        if !self.caveats.is_empty() {
            text += "\nKeep in mind:\n";
        }
        for caveat in &self.caveats {
            text += &format!("  - {caveat}\n");
        }
        text
    }
}

/// Tokens of the window that a corpus may take: two thirds of what stays sharp. The rest is for instructions,
/// the conversation and the answer.
#[must_use]
pub fn corpus_room_tokens(context_window_tokens: u64) -> u64 {
    context_window_tokens.min(SHARP_TOKENS).saturating_mul(2) / 3
}

/// Recommends one way, at the prices of the model that answers.
///
/// # Errors
/// [`CostError::EmptyCorpus`], [`CostError::InvalidShare`] and [`CostError::InvalidAmount`].
pub fn advise(facts: &CorpusFacts, price: &Price) -> Result<Advice, CostError> {
    check(facts)?;
    let mut steps = vec![format!(
        "Size: {} {} with {} tokens, about {} pages of {TOKENS_PER_PAGE} tokens.",
        format_count(facts.files),
        if facts.files == 1 { "file" } else { "files" },
        format_count(facts.tokens),
        format_count(pages(facts.tokens, TOKENS_PER_PAGE).round() as u64),
    )];
    let mut costs = None;
    let recommendation = if is_data(facts, &mut steps) {
        Recommendation::Query
    } else {
        costs = costs_of_reading_whole(facts, price, &mut steps)?;
        if costs.is_some_and(|costs| costs.is_worth_it(facts)) {
            Recommendation::Context
        } else if is_asked_literally(facts, &mut steps) {
            Recommendation::Grep
        } else {
            steps.push("What is left is text too large, too busy or too guarded to read whole.".to_owned());
            Recommendation::Retrieve
        }
    };
    Ok(Advice { recommendation, steps, caveats: caveats(facts, recommendation, price), costs })
}

fn check(facts: &CorpusFacts) -> Result<(), CostError> {
    if facts.tokens == 0 {
        return Err(CostError::EmptyCorpus);
    }
    checked_share("the share of tabular tokens", facts.tabular_share)?;
    checked_share("the share of code", facts.code_share)?;
    checked_share("the share of questions by identifier", facts.identifier_question_share.unwrap_or(0.0))?;
    checked_amount("changes per day", facts.changes_per_day)?;
    checked_amount("questions per day", facts.questions_per_day)?;
    checked_amount("the upkeep of an index in US dollars a month", facts.upkeep_usd_per_month)?;
    Ok(())
}

fn is_data(facts: &CorpusFacts, steps: &mut Vec<String>) -> bool {
    let is_data = facts.tabular_share >= MAJORITY;
    let outcome = if is_data {
        "counting, summing and looking up a row are queries, and a search for similar text answers none of them"
    } else {
        "less than half, so the corpus is text"
    };
    let share = format_share(facts.tabular_share);
    steps.push(format!("Tables: {share} of the tokens stand in tables or data files: {outcome}."));
    is_data
}

fn fits(facts: &CorpusFacts, steps: &mut Vec<String>) -> bool {
    let window = facts.context_window_tokens;
    let room = corpus_room_tokens(window);
    let fits = facts.tokens <= room;
    steps.push(format!(
        "Room: answers stay sharp up to about {} tokens, the window holds {}; two thirds of the smaller, {}, \
         may go to the corpus. {} tokens {}.",
        format_count(SHARP_TOKENS),
        format_count(window),
        format_count(room),
        format_count(facts.tokens),
        if fits { "fit" } else { "do not fit" },
    ));
    fits
}

/// What reading the corpus whole would cost, where that is possible at all.
fn costs_of_reading_whole(
    facts: &CorpusFacts,
    price: &Price,
    steps: &mut Vec<String>,
) -> Result<Option<ContextCosts>, CostError> {
    if !fits(facts, steps) || !may_all_be_read(facts, steps) {
        return Ok(None);
    }
    let costs = ContextCosts::of(facts, price)?;
    steps.extend(costs.steps(facts, price));
    Ok(Some(costs))
}

fn may_all_be_read(facts: &CorpusFacts, steps: &mut Vec<String>) -> bool {
    if facts.readers_differ {
        steps.push(
            "Rights: readers may see different documents, so one cached prompt cannot serve them all; a search \
             filters by reader."
                .to_owned(),
        );
    }
    !facts.readers_differ
}

fn is_asked_literally(facts: &CorpusFacts, steps: &mut Vec<String>) -> bool {
    let is_code = facts.code_share >= MAJORITY;
    let is_literal = facts.identifier_question_share.is_some_and(|share| share >= MAJORITY);
    let questions =
        facts.identifier_question_share.map_or_else(|| "an unknown share".to_owned(), format_share);
    let outcome = if facts.readers_differ {
        "but literal search over files knows no readers' rights"
    } else if is_code || is_literal {
        "exact names are found by exact search, which embeddings blur"
    } else {
        "not enough for literal search alone"
    };
    steps.push(format!(
        "Names: {} of the tokens are code, and {questions} of the questions name an identifier: {outcome}.",
        format_share(facts.code_share)
    ));
    (is_code || is_literal) && !facts.readers_differ
}

fn caveats(facts: &CorpusFacts, recommendation: Recommendation, price: &Price) -> Vec<String> {
    let mut caveats = Vec::new();
    let is_mixed = (0.1..0.9).contains(&facts.tabular_share);
    if is_mixed && recommendation == Recommendation::Query {
        caveats.push(
            "the part that is not tables still needs a way of its own: run the advice over it alone".into(),
        );
    } else if is_mixed {
        caveats
            .push("part of the corpus is tables: questions that count or sum are better asked as SQL".into());
    }
    match recommendation {
        Recommendation::Grep => caveats.push(
            "this holds for small code bases and exact names; where questions describe what code does, measure \
             `adit search` against it"
                .into(),
        ),
        Recommendation::Context => caveats.push(
            "put the corpus before the conversation: whatever changes in front of it empties the cache; and the \
             answers cite no passages"
                .into(),
        ),
        Recommendation::Retrieve if facts.identifier_question_share.is_none() => caveats.push(
            "nobody said how many questions name an identifier; if most do, literal search comes first".into(),
        ),
        _ => {}
    }
    caveats.push(format!(
        "prices are those of {} as of {}: {} and {} per million tokens in and out",
        price.model,
        price.as_of,
        format_usd(price.input_usd_per_million),
        format_usd(price.output_usd_per_million),
    ));
    caveats
}
