use std::sync::Arc;
use std::time::Instant;

use adit_answer::{AnswerOutcome, Answerer, AskRequest, Fence, WrittenAnswer, recent};
use adit_core::{LanguageModel, TokenUsage};
use adit_retrieve::{RetrieveError, SearchRequest, SearchResponse};
use serde::Serialize;

use crate::context::Context;
use crate::conversation::citable;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::memory::Memory;
use crate::model_calls::ModelCalls;
use crate::prompt::question_turn;
use crate::reader::Reader;
use crate::steps::{Steps, Written};
use crate::toolbox::Toolbox;
use crate::trace::{AgentTrace, CallTrace, Called, Ended, ModelPurpose};
use crate::{AgentError, AgentSettings, Confirmation, Policy, Tool, tools};

/// One question to an agent.
#[derive(Clone, Copy)]
pub struct AgentRequest<'a> {
    /// The question, who asks, and how answers are made. Scope, filter and mode of its search hold for every tool.
    pub ask: AskRequest<'a>,
    /// How far the agent may go.
    pub settings: &'a AgentSettings,
    /// Which way is taken.
    pub policy: Policy,
}

/// An answer and how the agent came to it.
#[derive(Debug, Clone, Serialize)]
pub struct AgentOutcome {
    /// The answer; its `usage` is the sum over the calls of `agent`.
    #[serde(flatten)]
    pub answer: AnswerOutcome,
    /// Every call.
    pub agent: AgentTrace,
}

/// Answers questions by searching as often as it takes. Cheap to share between threads.
#[derive(Clone)]
pub struct Agent {
    answerer: Answerer,
    model: Arc<dyn LanguageModel>,
    own_tools: Vec<Arc<dyn Tool>>,
    confirmation: Option<Arc<dyn Confirmation>>,
}

impl Agent {
    /// An agent with the reading tools. `answerer` searches for the fixed policy, answers where one search is
    /// enough, and checks every answer.
    #[must_use]
    pub fn new(answerer: Answerer, model: Arc<dyn LanguageModel>) -> Self {
        Self { answerer, model, own_tools: Vec::new(), confirmation: None }
    }

    /// With a tool of the caller's own.
    ///
    /// # Errors
    /// [`AgentError::ToolName`] when there is a tool of its name.
    pub fn with_tool(mut self, tool: Arc<dyn Tool>) -> Result<Self, AgentError> {
        let name = tool.definition().name;
        const BUILT_IN: [&str; 5] = ["search_docs", "read_document", "grep", "list_documents", "sql"];
        let is_taken = BUILT_IN.contains(&name.as_str())
            || self.own_tools.iter().any(|other| other.definition().name == name);
        if is_taken {
            return Err(AgentError::ToolName { name });
        }
        self.own_tools.push(tool);
        Ok(self)
    }

    /// With somebody to ask before a tool acts. Without, a tool that acts is refused once text of a document was read.
    #[must_use]
    pub fn with_confirmation(self, confirmation: Arc<dyn Confirmation>) -> Self {
        Self { confirmation: Some(confirmation), ..self }
    }

    /// Answers one question.
    ///
    /// # Errors
    /// [`AgentError`] when a search fails or a setting cannot be meant; never for a failing model.
    pub fn ask(&self, request: &AgentRequest<'_>) -> Result<AgentOutcome, AgentError> {
        self.ask_watched(request, &mut |_| {})
    }

    /// As [`Agent::ask`], telling of each call when it has been made.
    ///
    /// # Errors
    /// As [`Agent::ask`].
    pub fn ask_watched(
        &self,
        request: &AgentRequest<'_>,
        on_call: &mut dyn FnMut(&CallTrace),
    ) -> Result<AgentOutcome, AgentError> {
        request.settings.check()?;
        match request.policy {
            Policy::Loop => {
                self.by_loop(request, AgentTrace::new(Policy::Loop, "the loop was asked for"), on_call)
            }
            Policy::Graph => self.by_graph(
                request,
                AgentTrace::new(Policy::Graph, "the fixed policy was asked for"),
                on_call,
            ),
            Policy::Auto => self.by_need(request, on_call),
        }
    }

    /// One search where it is enough, and the loop where it is not.
    fn by_need(
        &self,
        request: &AgentRequest<'_>,
        on_call: &mut dyn FnMut(&CallTrace),
    ) -> Result<AgentOutcome, AgentError> {
        let parts = self.answerer.retriever().question_parts(request.ask.search.query);
        if parts.len() > 1 {
            let route = format!("the question has {} parts", parts.len());
            return self.by_loop(request, AgentTrace::new(Policy::Loop, &route), on_call);
        }
        let started = Instant::now();
        let answer = self.answerer.ask(&request.ask)?;
        let mut trace = AgentTrace::new(Policy::Auto, "one search was enough");
        let call = one_shot_call(&answer, started);
        on_call(&call);
        trace.calls.push(call);
        if !answer.refused {
            return Ok(AgentOutcome { answer, agent: trace });
        }
        trace.policy = Policy::Loop;
        trace.route = "one search did not answer the question".to_owned();
        self.by_loop(request, trace, on_call)
    }

    fn by_loop(
        &self,
        request: &AgentRequest<'_>,
        trace: AgentTrace,
        on_call: &mut dyn FnMut(&CallTrace),
    ) -> Result<AgentOutcome, AgentError> {
        let (ask, settings) = (&request.ask, request.settings);
        let reader = Reader { retriever: self.answerer.retriever(), search: ask.search };
        let history = recent(ask.history, ask.settings.max_history_turns);
        let mut evidence = Evidence::default();
        evidence.add(&citable(&reader, history)?);
        let fence = Fence::random(evidence.passages());
        let question = question_turn(ask.search.query, fence.marker(), !history.is_empty());
        let mut calls = ModelCalls::new(self.model.as_ref(), trace, settings.max_total_tokens, on_call);
        let mut steps = Steps {
            calls: &mut calls,
            toolbox: Toolbox {
                built_in: tools::built_in(reader, settings.tables),
                own: &self.own_tools,
                confirmation: self.confirmation.as_deref(),
                fence,
                memory: Memory::default(),
                calls_left: settings.max_tool_calls,
                result_tokens: settings.tool_result_tokens,
            },
            context: Context::new(history, question),
            evidence: &mut evidence,
            settings,
            max_output_tokens: ask.settings.max_output_tokens,
            notices: Vec::new(),
        };
        let written = steps.run();
        let notices = std::mem::take(&mut steps.notices);
        drop(steps);
        let searches = searches(&calls.trace);
        self.finish(request, &Ending { written, notices, searches }, &evidence, calls)
    }

    fn by_graph(
        &self,
        request: &AgentRequest<'_>,
        trace: AgentTrace,
        on_call: &mut dyn FnMut(&CallTrace),
    ) -> Result<AgentOutcome, AgentError> {
        let (ask, settings) = (&request.ask, request.settings);
        let mut evidence = Evidence::default();
        let mut calls = ModelCalls::new(self.model.as_ref(), trace, settings.max_total_tokens, on_call);
        let mut graph = Graph {
            answerer: &self.answerer,
            calls: &mut calls,
            evidence: &mut evidence,
            max_rewrites: settings.max_rewrites,
            max_output_tokens: ask.settings.max_output_tokens,
            history: recent(ask.history, ask.settings.max_history_turns),
            notices: Vec::new(),
            searches: Vec::new(),
        };
        let written = graph.run(&ask.search)?;
        let (notices, searches) = (std::mem::take(&mut graph.notices), std::mem::take(&mut graph.searches));
        self.finish(request, &Ending { written, notices, searches }, &evidence, calls)
    }

    /// Checks the answer against everything that was shown, and adds up what it cost.
    fn finish(
        &self,
        request: &AgentRequest<'_>,
        ending: &Ending,
        evidence: &Evidence,
        mut calls: ModelCalls<'_>,
    ) -> Result<AgentOutcome, AgentError> {
        let response = self.shown(&request.ask.search, evidence)?;
        let started = Instant::now();
        let before = calls.trace.usage();
        let model = calls.model_name().to_owned();
        let made = calls.made + earlier_calls(&calls.trace);
        let written = WrittenAnswer {
            text: &ending.written.text,
            model: &model,
            is_cut_off: ending.written.is_cut_off,
            searches: &ending.searches,
            usage: before,
            model_calls: made,
            gave_up: ending.written.gave_up.as_deref(),
            notices: &ending.notices,
        };
        if matches!(calls.trace.ended, Ended::ModelFailed | Ended::OutOfTokens) {
            let answer = self.without_model(request, &written)?;
            return Ok(AgentOutcome { answer, agent: calls.trace });
        }
        let answer = self.answerer.check_written(&request.ask, response, &written);
        let judged = answer.model_calls.saturating_sub(made);
        if judged > 0 {
            let called = Called::Model { purpose: ModelPurpose::Verify };
            let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
            calls.record(
                called,
                difference(answer.usage, before),
                elapsed_us,
                format!("{judged} claims judged"),
            );
        }
        Ok(AgentOutcome { answer, agent: calls.trace })
    }

    /// The documents' own sentences, where the model or the budget gave out.
    fn without_model(
        &self,
        request: &AgentRequest<'_>,
        written: &WrittenAnswer<'_>,
    ) -> Result<AnswerOutcome, AgentError> {
        let mut answer = self.answerer.clone().without_models().ask(&request.ask)?;
        answer.usage += written.usage;
        answer.model_calls += written.model_calls;
        answer.notices.extend(written.notices.iter().cloned());
        let why = written.gave_up.unwrap_or_default();
        answer.notices.push(format!("the answer is from one search without a language model, because {why}"));
        Ok(answer)
    }

    /// The passages that were shown, weighed against the question as it was asked.
    fn shown(
        &self,
        search: &SearchRequest<'_>,
        evidence: &Evidence,
    ) -> Result<SearchResponse, RetrieveError> {
        let retriever = self.answerer.retriever();
        let mut response = SearchResponse {
            passages: evidence.passages().to_vec(),
            omitted: 0,
            notices: Vec::new(),
            evidence: adit_retrieve::Evidence::default(),
            plan: adit_retrieve::QueryPlan::default(),
            trace: adit_core::Trace { query: search.query.to_owned(), ..adit_core::Trace::default() },
        };
        if !response.passages.is_empty() {
            response.evidence = retriever.weigh_for(search, &response)?;
        }
        Ok(response)
    }
}

/// What a policy ended with.
struct Ending {
    written: Written,
    notices: Vec<String>,
    searches: Vec<String>,
}

/// Calls of the model before the loop began.
fn earlier_calls(trace: &AgentTrace) -> usize {
    let is_one_shot = |call: &&CallTrace| call.called == Called::Model { purpose: ModelPurpose::OneShot };
    trace.calls.iter().find(is_one_shot).map_or(0, |call| call.step)
}

fn one_shot_call(answer: &AnswerOutcome, started: Instant) -> CallTrace {
    CallTrace {
        step: answer.model_calls,
        called: Called::Model { purpose: ModelPurpose::OneShot },
        usage: answer.usage,
        elapsed_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        result: if answer.refused { "refused".to_owned() } else { "answered".to_owned() },
        passages: answer.response.passages.iter().map(|passage| passage.id.clone()).collect(),
        warnings: Vec::new(),
    }
}

/// What was searched for, as the model wrote it.
fn searches(trace: &AgentTrace) -> Vec<String> {
    let queries = trace.calls.iter().filter_map(|call| match &call.called {
        Called::Tool { name, arguments, .. } if name == "search_docs" => {
            let given: serde_json::Value = serde_json::from_str(arguments).ok()?;
            given.get("query").and_then(serde_json::Value::as_str).map(str::to_owned)
        }
        _ => None,
    });
    queries.collect()
}

fn difference(all: TokenUsage, before: TokenUsage) -> TokenUsage {
    TokenUsage {
        input_tokens: all.input_tokens.saturating_sub(before.input_tokens),
        cached_input_tokens: all.cached_input_tokens.saturating_sub(before.cached_input_tokens),
        cache_write_tokens: all.cache_write_tokens.saturating_sub(before.cache_write_tokens),
        output_tokens: all.output_tokens.saturating_sub(before.output_tokens),
    }
}
