use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use adit_answer::{
    AnswerEvent, AnswerOutcome, AnswerSettings, Answerer, AskRequest, ConfidenceLevel, ExtractiveSettings,
    ModelJudge, ModelRewriter, Unsupported, citation_line,
};
use adit_core::LanguageModel;
use adit_cost::Purpose;
use adit_ingest::{AnswerSection, Settings};
use adit_log::{Door, SearchId};
use adit_retrieve::Retriever;
use adit_server::{LoggedRequest, log_search};
use serde::Serialize;

use super::ask_agent::{self, AgentQuestion};
use crate::arguments::{AskArguments, UnsupportedArgument};
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::language_model::language_model;
use crate::output::{Output, note, print};
use crate::read_session::ReadSession;
use crate::search_log;

/// What `ask --json` prints.
#[derive(Serialize)]
struct Asked {
    #[serde(flatten)]
    outcome: AnswerOutcome,
    /// The logged search, for `adit feedback`; null when it was not logged.
    trace_id: Option<SearchId>,
}

pub(super) fn run(home: Option<&Path>, arguments: &AskArguments, output: Output) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let question = arguments.question.join(" ");
    let session = ReadSession::open(&home, &settings, arguments.mode)?;
    let mut search = session.request(&question, &scope, &filter, arguments.mode);
    search.limit = arguments.limit.unwrap_or(search.limit);
    search.budget_tokens = arguments.budget.unwrap_or(search.budget_tokens);
    let answering = answer_settings(&settings.answer, arguments);
    let model = if arguments.no_model { None } else { language_model(&home, &settings, Purpose::Answer)? };
    let answerer = answerer(&session.retriever, &settings, model.clone());
    if let Some(wanted) = arguments.agent {
        match model {
            Some(model) => {
                let answering = &answering;
                let question =
                    AgentQuestion { home: &home, settings: &settings, answerer, model, search, answering };
                return ask_agent::run(question, wanted, arguments, output);
            }
            None => note("note: --agent needs a language model and none is configured; one search is made"),
        }
    }
    let started = Instant::now();
    let mut stream = Stream::new(output);
    let request = AskRequest::new(search, &answering);
    let outcome = answerer.ask_streaming(&request, &mut |event| stream.show(event))?;
    let logged = LoggedRequest::of(&search, Door::CommandLine, started.elapsed());
    let trace_id = search_log::record(&home, &settings, |log| log_search(log, &logged, &outcome.response));
    let asked = Asked { outcome, trace_id };
    if output.json {
        output.result(&asked, |_| String::new())?;
    } else {
        print(&stream.rest_of(&asked.outcome, arguments.claims))?;
        for notice in &asked.outcome.notices {
            note(&format!("note: {notice}"));
        }
        if let Some(id) = &asked.trace_id {
            note(&format!("search id: {id}"));
        }
    }
    Ok(Exit::Done)
}

/// An answerer as the settings want it.
pub(super) fn answerer(
    retriever: &Retriever,
    settings: &Settings,
    model: Option<Arc<dyn LanguageModel>>,
) -> Answerer {
    let mut retriever = retriever.clone();
    if let Some(model) = &model {
        retriever = retriever.with_language_model(Arc::clone(model));
    }
    let mut answerer = Answerer::new(retriever);
    if let Some(model) = &model {
        answerer = answerer.with_rewriter(Arc::new(ModelRewriter::new(Arc::clone(model))));
        if settings.answer.judge {
            answerer = answerer.with_judge(Arc::new(ModelJudge::new(Arc::clone(model))));
        }
    }
    answerer.with_model(model)
}

/// The settings of the file, and over them the arguments.
fn answer_settings(section: &AnswerSection, arguments: &AskArguments) -> AnswerSettings {
    let usual = settings_of(section);
    let unsupported = match arguments.unsupported {
        Some(UnsupportedArgument::Keep) => Unsupported::Keep,
        Some(UnsupportedArgument::Remove) => Unsupported::Remove,
        Some(UnsupportedArgument::Mark) => Unsupported::Mark,
        None => usual.unsupported,
    };
    let max_sentences = arguments.sentences.unwrap_or(section.max_sentences);
    AnswerSettings {
        unsupported,
        refuse_on_weak_evidence: usual.refuse_on_weak_evidence && !arguments.even_if_weak,
        extractive: ExtractiveSettings { max_sentences, ..usual.extractive },
        ..usual
    }
}

/// The settings of the file.
pub(super) fn settings_of(section: &AnswerSection) -> AnswerSettings {
    AnswerSettings {
        max_output_tokens: section.max_output_tokens,
        unsupported: match section.unsupported.as_str() {
            "keep" => Unsupported::Keep,
            "remove" => Unsupported::Remove,
            _ => Unsupported::Mark,
        },
        least_support: section.least_support,
        refuse_on_weak_evidence: section.refuse_on_weak_evidence,
        max_rewrites: section.max_rewrites,
        extractive: ExtractiveSettings {
            max_sentences: section.max_sentences,
            ..ExtractiveSettings::default()
        },
        ..AnswerSettings::default()
    }
}

/// Shows a model's words as they come.
struct Stream {
    is_shown: bool,
    shown: String,
    was_discarded: bool,
}

impl Stream {
    fn new(output: Output) -> Self {
        Self { is_shown: !output.json, shown: String::new(), was_discarded: false }
    }

    fn show(&mut self, event: AnswerEvent<'_>) -> ControlFlow<()> {
        if !self.is_shown {
            return ControlFlow::Continue(());
        }
        match event {
            AnswerEvent::Writing { .. } => {}
            AnswerEvent::Text(text) => {
                self.shown += text;
                let mut stdout = std::io::stdout().lock();
                let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
                // Nobody reads any more: the model need not write on.
                if written.is_err() {
                    return ControlFlow::Break(());
                }
            }
            AnswerEvent::Discarded => self.was_discarded = true,
        }
        ControlFlow::Continue(())
    }

    /// What is still to be shown: the answer, unless all of it was, then sources, claims and confidence.
    fn rest_of(&self, outcome: &AnswerOutcome, with_claims: bool) -> String {
        let mut text = String::new();
        let was_shown = !self.was_discarded && self.shown.trim() == outcome.answer;
        if !self.shown.is_empty() {
            text.push('\n');
        }
        if !was_shown {
            if !self.shown.is_empty() {
                text += "\nAfter checking:\n";
            }
            if outcome.extractive {
                text += "From the documents, sentence by sentence (no language model):\n";
            }
            text += &outcome.answer;
            text.push('\n');
        }
        if let Some(refusal) = &outcome.refusal {
            text += &format!("Reason: {}.\n", refusal.reason);
            for step in &refusal.next_steps {
                text += &format!("- {step}\n");
            }
        }
        if !outcome.citations.is_empty() {
            text += "\nSources:\n";
            for citation in &outcome.citations {
                text += &format!("  {}\n", citation_line(citation));
            }
        }
        text += &problems_of(outcome, with_claims);
        if !outcome.refused {
            let level = match outcome.confidence.level {
                ConfidenceLevel::High => "high",
                ConfidenceLevel::Low => "low",
            };
            text += &format!("\nConfidence: {level}, because {}.\n", outcome.confidence.reason);
        }
        text
    }
}

/// An answer that was not streamed, as it is shown.
pub(super) fn rest_of(outcome: &AnswerOutcome, with_claims: bool) -> String {
    Stream { is_shown: true, shown: String::new(), was_discarded: false }.rest_of(outcome, with_claims)
}

/// The claims that are not supported, or all of them.
fn problems_of(outcome: &AnswerOutcome, with_all: bool) -> String {
    let shown: Vec<_> = outcome.claims.iter().filter(|claim| with_all || !claim.is_supported).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut text = String::from(if with_all { "\nClaims:\n" } else { "\nNot supported:\n" });
    for claim in shown {
        let reasons: Vec<String> = claim.problems.iter().map(ToString::to_string).collect();
        let found = if reasons.is_empty() { "supported".to_owned() } else { reasons.join("; ") };
        text += &format!("  {} ({:.2}): {found}\n", claim.text, claim.support);
    }
    text
}
