use std::path::Path;
use std::time::Instant;

use adit_core::Embedder;
use adit_cost::{
    Budget, ChunkOrder, EnrichmentPlan, Estimate, Price, Rate, Usage, cost_usd, format_count, format_usd,
};
use serde::Serialize;

use super::cost::price_table;
use crate::arguments::CostEstimateArguments;
use crate::corpus_survey::{Survey, Surveyor, Uncounted};
use crate::failure::Failure;
use crate::output::{Output, counted};

/// Most files that could not be counted to list in the terminal.
const LISTED: usize = 10;

/// What `cost estimate --json` prints.
#[derive(Debug, Serialize)]
struct EstimateResult {
    files: usize,
    tokens: u64,
    chunks: u64,
    estimates: Vec<Estimate>,
    total_usd: f64,
    budget_usd: Option<f64>,
    uncounted: Vec<Uncounted>,
    notes: Vec<String>,
}

pub(super) fn estimate(
    home: Option<&Path>,
    arguments: &CostEstimateArguments,
    output: Output,
) -> Result<(), Failure> {
    // Whatever can be wrong with the arguments is said before minutes of counting.
    let prices = price_table(&arguments.prices)?;
    let price = arguments.model.as_deref().map(|model| prices.price(model)).transpose()?;
    let budget = arguments.budget_usd.map(Budget::new).transpose()?;
    let rate = provider_rate(arguments)?;
    let surveyor = Surveyor::open(home)?;
    let survey = surveyor.survey(&arguments.paths)?;
    let model = &surveyor.model_name;
    let mut notes = notes(price, model);
    let mut estimates = Vec::new();
    let mut embedded_tokens = survey.text_tokens;
    if let Some(price) = price {
        let enrichment = enrichment(arguments, &survey, price, rate)?;
        notes.extend(floor_note(price, &enrichment));
        estimates.push(enrichment);
        // What the model writes is embedded too.
        embedded_tokens += survey.texts * arguments.output_tokens;
    }
    let local_rate = measured_rate(&surveyor, &survey)?;
    estimates.push(Estimate::of_embedding(model, survey.texts, embedded_tokens, None, local_rate)?);
    let total_usd = estimates.iter().map(|estimate| estimate.cost_usd).sum();
    let result = EstimateResult {
        files: survey.documents.len(),
        tokens: survey.tokens,
        chunks: survey.documents.iter().map(|document| document.chunks).sum(),
        estimates,
        total_usd,
        budget_usd: arguments.budget_usd,
        uncounted: survey.uncounted,
        notes,
    };
    output.result(&result, describe_estimate)?;
    if let Some(mut budget) = budget {
        budget.charge(total_usd)?;
    }
    Ok(())
}

fn enrichment(
    arguments: &CostEstimateArguments,
    survey: &Survey,
    price: &Price,
    rate: Option<Rate>,
) -> Result<Estimate, Failure> {
    let plan = EnrichmentPlan {
        instruction_tokens: arguments.instruction_tokens,
        output_tokens_per_chunk: arguments.output_tokens,
        order: ChunkOrder::BackToBack,
    };
    Ok(plan.estimate(&survey.documents, price, rate)?)
}

fn provider_rate(arguments: &CostEstimateArguments) -> Result<Option<Rate>, Failure> {
    if arguments.calls_per_minute.is_none() && arguments.tokens_per_minute.is_none() {
        return Ok(None);
    }
    let rate = Rate {
        calls_per_minute: arguments.calls_per_minute.unwrap_or(f64::INFINITY),
        tokens_per_minute: arguments.tokens_per_minute.unwrap_or(f64::INFINITY),
    };
    rate.minutes(0, &Usage::default())?;
    Ok(Some(rate))
}

/// How fast this machine embeds, from a sample of the corpus itself.
fn measured_rate(surveyor: &Surveyor, survey: &Survey) -> Result<Option<Rate>, Failure> {
    let sample: Vec<&str> = survey.sample.iter().map(String::as_str).collect();
    let Some(first) = sample.first() else { return Ok(None) };
    let embedder = &surveyor.embedder;
    // The first text a model reads pays for memory that the later ones find ready.
    embedder.embed_documents(&[first])?;
    let mut tokens = 0;
    for text in &sample {
        tokens += embedder.tokenizer().count_tokens(text)?;
    }
    let started = Instant::now();
    embedder.embed_documents(&sample)?;
    let minutes = started.elapsed().as_secs_f64().max(1e-6) / 60.0;
    Ok(Some(Rate { calls_per_minute: f64::INFINITY, tokens_per_minute: tokens as f64 / minutes }))
}

fn notes(price: Option<&Price>, embedding_model: &str) -> Vec<String> {
    let mut notes = vec![format!(
        "counted as if nothing were indexed yet; {embedding_model} runs on this machine and costs only time, \
         measured on a sample of these files"
    )];
    match price {
        Some(price) => notes.push(format!(
            "tokens are counted with the tokenizer of {embedding_model}; {} has one of its own, so allow for a \
             difference. Its prices are as of {}",
            price.model, price.as_of
        )),
        None => notes.push("`--model NAME` adds what a language model would cost that writes context for chunks".into()),
    }
    notes
}

/// Without a known floor nobody can say which documents are too short to be cached.
fn floor_note(price: &Price, enrichment: &Estimate) -> Option<String> {
    if price.minimum_cacheable_tokens.is_some() || price.cache_read_usd_per_million.is_none() {
        return None;
    }
    let usage = enrichment.usage;
    let uncached = Usage::plain(usage.read_tokens(), usage.output_tokens);
    Some(format!(
        "the prices do not say from how many tokens on {} caches a document; if it cached none, its calls would \
         cost {}",
        price.model,
        format_usd(cost_usd(&uncached, price)),
    ))
}

fn describe_estimate(result: &EstimateResult) -> String {
    let mut text = format!(
        "{} with {} tokens, cut into {}\n",
        counted(result.files, "file"),
        format_count(result.tokens),
        counted(result.chunks as usize, "chunk"),
    );
    for one in &result.estimates {
        let calls = if one.cost_usd > 0.0 { "call" } else { "text" };
        let minutes = one.minutes.map(describe_minutes).unwrap_or_default();
        text += &format!(
            "{:<8} {}: {}, {} tokens in, {} out, {}{minutes}\n",
            one.purpose,
            one.model,
            counted(one.calls as usize, calls),
            format_count(one.usage.read_tokens()),
            format_count(one.usage.output_tokens),
            format_usd(one.cost_usd),
        );
    }
    text += &format!("in all   {}\n", format_usd(result.total_usd));
    for one in result.uncounted.iter().take(LISTED) {
        text += &format!("not counted: {}: {}\n", one.source, one.reason);
    }
    if result.uncounted.len() > LISTED {
        text += &format!("... and {} more\n", result.uncounted.len() - LISTED);
    }
    result.notes.iter().fold(text, |text, note| text + &format!("note: {note}\n"))
}

fn describe_minutes(minutes: f64) -> String {
    if minutes < 1.0 {
        format!(", about {:.0} s", (minutes * 60.0).ceil())
    } else {
        format!(", about {minutes:.0} min")
    }
}
