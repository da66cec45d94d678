use adit_core::{LanguageModel, TokenUsage};
use adit_index::Facet;
use adit_lexical::{content_words, identifiers_of};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::model_plan::ModelPlan;
use super::{
    DateRange, FilterUse, Turn, Understanding, conversation, dates, decomposition, filters, model_plan,
    phrases,
};

/// Keywords that are named in a plan, at most.
const NAMED_KEYWORDS: usize = 16;

/// A question as it was understood, and the searches it takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryPlan {
    /// The question, completed from the conversation where it needed that.
    pub question: String,
    /// Whether `question` differs from what was asked.
    pub rewritten: bool,
    /// Its words that carry meaning.
    pub keywords: Vec<String>,
    /// Codes, part numbers, paths and names of the kind, as they are written.
    pub identifiers: Vec<String>,
    /// What it quotes.
    pub phrases: Vec<String>,
    /// The days it speaks of.
    pub dates: Option<DateRange>,
    /// Filters that it names and the collection can answer, as `--filter` takes them.
    pub filters: Vec<String>,
    /// Whether `filters` are applied.
    pub filters_applied: bool,
    /// The searches; the question itself is the first.
    pub searches: Vec<PlannedSearch>,
    /// Sentences for the caller.
    pub notices: Vec<String>,
    /// What the model that was asked is billed for.
    pub usage: TokenUsage,
}

/// One search of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedSearch {
    /// What is searched for.
    pub text: String,
    /// Where it comes from.
    pub kind: SearchKind,
}

/// Where a search of a plan comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// The question.
    Question,
    /// A part of it.
    Part,
    /// Another wording.
    Variant,
    /// A more general question.
    StepBack,
    /// A made-up answer, searched for by meaning only.
    HypotheticalAnswer,
}

/// What the understanding of a question may lean on.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The conversation before the question, oldest first.
    pub(crate) conversation: &'a [Turn<'a>],
    /// Languages of the collection.
    pub(crate) languages: &'a [String],
    /// Metadata of the documents that the reader may see.
    pub(crate) facets: &'a [Facet],
    /// For `last year` and the like.
    pub(crate) today: Date,
}

/// Understands `question` by rules, and by `model` where one is given and a step wants it. A model that fails
/// costs its steps, not the search.
pub(crate) fn plan(
    question: &str,
    surroundings: &Surroundings<'_>,
    settings: &Understanding,
    model: Option<&dyn LanguageModel>,
) -> QueryPlan {
    let Surroundings { conversation, languages, facets, today } = *surroundings;
    let follows = settings.follow_up && conversation::is_follow_up(question, conversation, languages);
    let mut notices = Vec::new();
    let asked_model = model.filter(|_| settings.needs_model() || follows || settings.decompose);
    let (proposed, usage) = match asked_model
        .map(|model| model_plan::ask(model, question, conversation, settings))
    {
        Some(Ok((plan, usage))) => (plan, usage),
        Some(Err(error)) => {
            notices.push(format!("the question was understood by rules only: {error}"));
            (ModelPlan::default(), TokenUsage::default())
        }
        None => {
            if settings.needs_model() {
                notices.push(
                    "the question was understood by rules only: no language model is configured".to_owned(),
                );
            }
            (ModelPlan::default(), TokenUsage::default())
        }
    };
    let standalone = standalone(question, follows, &proposed, conversation, languages);
    let dates = dates::date_range(question, today);
    let filters = match settings.filters {
        FilterUse::Ignore => Vec::new(),
        FilterUse::Suggest | FilterUse::Apply => filters::named_conditions(question, dates, facets),
    };
    let filters_applied = settings.filters == FilterUse::Apply && !filters.is_empty();
    if !filters.is_empty() {
        let what = if filters_applied {
            "the question was narrowed by"
        } else {
            "the question names what could narrow it:"
        };
        notices.push(format!("{what} --filter {}", filters.join(" --filter ")));
    }
    QueryPlan {
        rewritten: standalone != question,
        keywords: content_words(&standalone, languages, NAMED_KEYWORDS),
        identifiers: identifiers_of(&standalone),
        phrases: phrases::quoted_phrases(question),
        dates,
        filters,
        filters_applied,
        searches: searches(&standalone, &proposed, settings, languages),
        question: standalone,
        notices,
        usage,
    }
}

/// The model's rewriting only where the question needs one, and never without the question's own codes and
/// quotes: a rewriting that loses `ERR_4021` searches for something else.
fn standalone(
    question: &str,
    follows: bool,
    proposed: &ModelPlan,
    conversation: &[Turn<'_>],
    languages: &[String],
) -> String {
    if !follows {
        return question.to_owned();
    }
    if proposed.standalone.is_empty() {
        return conversation::completed(question, conversation, languages);
    }
    let mut standalone = proposed.standalone.clone();
    let must_stay = identifiers_of(question).into_iter().chain(phrases::quoted_phrases(question));
    for word in must_stay {
        if !standalone.contains(&word) {
            standalone = format!("{standalone} {word}");
        }
    }
    standalone
}

fn searches(
    standalone: &str,
    proposed: &ModelPlan,
    settings: &Understanding,
    languages: &[String],
) -> Vec<PlannedSearch> {
    let mut parts = proposed.sub_questions.clone();
    if parts.is_empty() && settings.decompose {
        parts = decomposition::parts(standalone, languages);
    }
    let more = parts
        .into_iter()
        .map(|text| (text, SearchKind::Part))
        .chain(proposed.variants.iter().map(|text| (text.clone(), SearchKind::Variant)))
        .chain(std::iter::once((proposed.step_back.clone(), SearchKind::StepBack)))
        .chain(std::iter::once((proposed.hypothetical_answer.clone(), SearchKind::HypotheticalAnswer)));
    let mut searches = vec![PlannedSearch { text: standalone.to_owned(), kind: SearchKind::Question }];
    for (text, kind) in more {
        let known = searches.iter().any(|search| search.text.eq_ignore_ascii_case(&text));
        if !text.is_empty() && !known {
            searches.push(PlannedSearch { text, kind });
        }
    }
    searches
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::{LanguageModelError, Role};
    use adit_testkit::ScriptedModel;
    use jiff::civil::date;

    const NOWHERE: Surroundings<'static> =
        Surroundings { conversation: &[], languages: &[], facets: &[], today: date(2026, 11, 30) };

    #[test]
    fn rules_fill_the_typed_query() {
        let plan =
            plan("where is \"net 30\" in PO-1182 since 2024", &NOWHERE, &Understanding::default(), None);
        assert_eq!(plan.identifiers, ["PO-1182"]);
        assert_eq!(plan.phrases, ["net 30"]);
        assert_eq!(plan.dates.and_then(|dates| dates.from), Some(date(2024, 1, 1)));
        assert_eq!(plan.searches.len(), 1);
        assert!(!plan.rewritten && plan.notices.is_empty());
    }

    #[test]
    fn a_model_is_asked_once_and_its_plan_is_bounded() {
        let answer = r#"Sure: {"standalone": "x", "variants": ["a", "b", "", "c", "d", "e", "f"], "step_back": "g",
            "sub_questions": ["not asked for"]}"#;
        let model = ScriptedModel::new().answer("Question:", answer);
        let settings = Understanding { variants: 9, ..Understanding::OFF };
        let plan = plan("how long is probation", &NOWHERE, &settings, Some(&model));
        let texts: Vec<&str> = plan.searches.iter().map(|search| search.text.as_str()).collect();
        assert_eq!(texts, ["how long is probation", "a", "b", "c", "d", "e"]);
        assert_eq!(model.requests().len(), 1);
        assert!(plan.usage.output_tokens > 0);
    }

    #[test]
    fn a_rewriting_keeps_the_codes_of_the_question() {
        let turns = [Turn { role: Role::User, text: "Which errors does the gateway know?" }];
        let surroundings = Surroundings { conversation: &turns, ..NOWHERE };
        let model = ScriptedModel::new()
            .answer("Question:", r#"{"standalone": "What does the gateway error mean?"}"#);
        let plan = plan("and ERR_4021?", &surroundings, &Understanding::default(), Some(&model));
        assert_eq!(plan.question, "What does the gateway error mean? ERR_4021");
        assert!(plan.rewritten);
    }

    #[test]
    fn a_model_that_fails_or_is_missing_costs_its_steps_only() {
        let settings = Understanding { variants: 3, ..Understanding::default() };
        let model = ScriptedModel::new();
        model.fail_next(LanguageModelError::Unreachable { detail: "cable".to_owned() });
        for model in [Some(&model as &dyn LanguageModel), None] {
            let plan = plan("how long is probation", &NOWHERE, &settings, model);
            assert_eq!(plan.searches.len(), 1);
            assert!(plan.notices[0].contains("by rules only"), "{:?}", plan.notices);
        }
    }
}
