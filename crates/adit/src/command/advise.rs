use std::path::Path;

use adit_cost::{Advice, CorpusFacts, advise};
use serde::Serialize;

use super::cost::price_table;
use crate::arguments::AdviseArguments;
use crate::corpus_survey::{Surveyor, Uncounted};
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// What `advise --json` prints.
#[derive(Debug, Serialize)]
struct AdviseResult {
    facts: CorpusFacts,
    #[serde(flatten)]
    advice: Advice,
    uncounted: Vec<Uncounted>,
}

pub(super) fn run(home: Option<&Path>, arguments: &AdviseArguments, output: Output) -> Result<Exit, Failure> {
    // Whatever can be wrong with the arguments is said before minutes of counting.
    let prices = price_table(&arguments.prices)?;
    let price = prices.price(&arguments.model)?;
    let survey = Surveyor::open(home)?.survey(&arguments.paths)?;
    let facts = CorpusFacts {
        files: survey.documents.len() as u64,
        tokens: survey.tokens,
        tabular_share: survey.share(survey.tabular_tokens),
        code_share: survey.share(survey.code_tokens),
        identifier_question_share: arguments.identifier_share,
        changes_per_day: arguments.changes_per_day,
        questions_per_day: arguments.questions_per_day,
        context_window_tokens: arguments.window,
        readers_differ: arguments.readers_differ,
        upkeep_usd_per_month: arguments.upkeep_usd,
    };
    let advice = advise(&facts, price)?;
    let result = AdviseResult { facts, advice, uncounted: survey.uncounted };
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn describe(result: &AdviseResult) -> String {
    let mut text = result.advice.render();
    if !result.uncounted.is_empty() {
        text += &format!(
            "  - {} could not be read and is not counted (`--json` lists what)\n",
            counted(result.uncounted.len(), "file")
        );
    }
    text
}
