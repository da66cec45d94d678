use std::path::{Path, PathBuf};

use adit_cost::{
    Comparison, ComparisonInput, Ledger, LedgerKey, LedgerSum, PriceTable, Workload, format_count, format_usd,
};
use serde::Serialize;

use super::cost_estimate::estimate;
use crate::arguments::{CostCommand, CostCompareArguments, CostReportArguments, PriceArguments};
use crate::engine::existing_home;
use crate::failure::{Exit, Failure};
use crate::language_model::LEDGER_FILE;
use crate::output::Output;

pub(super) fn run(home: Option<&Path>, command: &CostCommand, output: Output) -> Result<Exit, Failure> {
    match command {
        CostCommand::Estimate(arguments) => estimate(home, arguments, output),
        CostCommand::Report(arguments) => report(home, arguments, output),
        CostCommand::Compare(arguments) => compare(arguments, output),
    }?;
    Ok(Exit::Done)
}

/// The built-in prices with the user's laid over them.
pub(super) fn price_table(arguments: &PriceArguments) -> Result<PriceTable, Failure> {
    let table = PriceTable::built_in()?;
    Ok(match &arguments.prices {
        Some(path) => table.overridden_by(PriceTable::read(path)?),
        None => table,
    })
}

/// What `cost report --json` prints.
#[derive(Debug, Serialize)]
struct ReportResult {
    ledger: PathBuf,
    total: LedgerSum,
    by_model: Vec<NamedSum>,
    by_purpose: Vec<NamedSum>,
    by_day: Vec<NamedSum>,
}

#[derive(Debug, Serialize)]
struct NamedSum {
    name: String,
    #[serde(flatten)]
    sum: LedgerSum,
}

fn report(home: Option<&Path>, arguments: &CostReportArguments, output: Output) -> Result<(), Failure> {
    let (path, ledger) = match &arguments.ledger {
        Some(path) => {
            (path.clone(), Ledger::parse_jsonl(&fs_err::read_to_string(path).map_err(unreadable)?)?)
        }
        None => {
            let path = existing_home(home)?.0.folder().join(LEDGER_FILE);
            // No ledger is what a home has before its first paid call.
            let text = if path.exists() {
                fs_err::read_to_string(&path).map_err(unreadable)?
            } else {
                String::new()
            };
            (path, Ledger::parse_jsonl(&text)?)
        }
    };
    let sums =
        |key| ledger.sums_by(key).into_iter().map(|(name, sum)| NamedSum { name, sum }).collect::<Vec<_>>();
    let result = ReportResult {
        ledger: path,
        total: ledger.total(),
        by_model: sums(LedgerKey::Model),
        by_purpose: sums(LedgerKey::Purpose),
        by_day: sums(LedgerKey::Day),
    };
    output.result(&result, describe_report)
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::usage(error.to_string(), "name a ledger with `--ledger FILE`: one JSON object a line")
}

fn describe_report(result: &ReportResult) -> String {
    if result.total.calls == 0 {
        return format!("no paid call is recorded in {}\n", result.ledger.display());
    }
    let mut text = String::new();
    for (title, sums) in
        [("model", &result.by_model), ("purpose", &result.by_purpose), ("day", &result.by_day)]
    {
        text += &format!("{title:<24}{:>10}{:>16}{:>14}{:>14}\n", "calls", "tokens in", "tokens out", "cost");
        sums.iter().for_each(|one| text += &describe_sum(&one.name, &one.sum));
        text.push('\n');
    }
    text + &describe_sum("in all", &result.total)
}

fn describe_sum(name: &str, sum: &LedgerSum) -> String {
    format!(
        "{name:<24}{:>10}{:>16}{:>14}{:>14}\n",
        format_count(sum.calls),
        format_count(sum.usage.read_tokens()),
        format_count(sum.usage.output_tokens),
        format_usd(sum.cost_usd),
    )
}

/// What `cost compare --json` prints.
#[derive(Debug, Serialize)]
struct CompareResult {
    input: ComparisonInput,
    #[serde(flatten)]
    comparison: Comparison,
}

fn compare(arguments: &CostCompareArguments, output: Output) -> Result<(), Failure> {
    let input = ComparisonInput {
        workload: Workload {
            system_tokens: arguments.system_tokens,
            question_tokens: arguments.question_tokens,
            passages_tokens: arguments.passages_tokens,
            answer_tokens: arguments.answer_tokens,
            tool_schema_tokens: arguments.tool_schema_tokens,
            tool_call_tokens: arguments.tool_call_tokens,
        },
        most_searches: arguments.searches,
        searches_per_corpus_question: arguments.searches_per_question,
        corpus_question_share: arguments.corpus_share,
        corpus_tokens: arguments.corpus_tokens,
        questions_per_day: arguments.questions_per_day,
        changes_per_day: arguments.changes_per_day,
    };
    let prices = price_table(&arguments.prices)?;
    let comparison = Comparison::of(&input, prices.price(&arguments.model)?)?;
    output.result(&CompareResult { input, comparison }, |result| result.comparison.render(&result.input))
}
