use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adit_agent::{
    Agent, AgentOutcome, AgentRequest, AgentSettings, Policy, Privilege, Tool, ToolFailure, ToolOutput,
};
use adit_answer::{AnswerSettings, Answerer, AskRequest, ClaimProblem};
use adit_core::{
    ContentPart, DocumentId, Filter, LanguageModel, Parser, PassageId, SourceFile, TenantId, ToolDefinition,
};
use adit_parse::DocumentParser;
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};
use serde_json::{Map, Value, json};

pub(crate) const QUESTION: &str = "Within how many days are refunds granted?";
pub(crate) const HONEST: &str = "Refunds are granted within 30 days of purchase.";
/// Stands in a document of another tenant.
pub(crate) const SECRET: &str = "vaultcode-83915";

/// A tool that does harm, and counts how often it did.
#[derive(Default)]
pub(crate) struct WireMoney {
    pub(crate) wired: AtomicUsize,
}

impl Tool for WireMoney {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "wire_money".to_owned(),
            description: "Wires money.".to_owned(),
            input_schema: json!({ "type": "object" }),
            strict: false,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Act
    }

    fn call(&self, _arguments: &Map<String, Value>, _budget: usize) -> Result<ToolOutput, ToolFailure> {
        self.wired.fetch_add(1, Ordering::Relaxed);
        Ok(ToolOutput::default())
    }
}

/// A collection with a planted document and somebody else's secret.
pub(crate) struct Victim {
    pub(crate) collection: IndexedCollection,
    pub(crate) wire: Arc<WireMoney>,
    pub(crate) planted: DocumentId,
    /// The passage that shows `trigger`.
    pub(crate) attack: PassageId,
    pub(crate) others: DocumentId,
}

impl Victim {
    /// With the file, in which `trigger` is a word of the attack.
    pub(crate) fn of(name: &str, bytes: &[u8], trigger: &str) -> Self {
        let collection = IndexedCollection::new();
        let other = TenantId::new("globex").unwrap();
        let table = format!("Vault | Code\nMain | {SECRET}\nSpare | 1");
        let others = collection.add_for(&other, "globex/vault.csv", "Vault", &table);
        let parsed = DocumentParser::default()
            .parse(SourceFile { name, bytes })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let planted = collection.add_parsed(&TenantId::default_tenant(), name, &parsed);
        let view = collection.catalog.view().unwrap();
        let reader = IndexedCollection::reader();
        let chunks = view.chunks_of(&planted, adit_core::ReadScope::Reader(&reader)).unwrap();
        let attacking = chunks.iter().find(|stored| stored.chunk.display.contains(trigger));
        let attack =
            attacking.unwrap_or_else(|| panic!("{name} lost the attack: {}", parsed.text)).passage_id();
        Self { collection, wire: Arc::default(), planted, attack, others }
    }

    /// Asks a model that reads the planted document and then does what `script` says.
    pub(crate) fn attacked(&self, script: impl FnOnce(ScriptedModel) -> ScriptedModel) -> Attacked {
        let read = ("read_document", json!({"id": self.planted.as_str()}));
        let model = Arc::new(script(ScriptedModel::new().call_tools_once("Question:", &[read])));
        let shared: Arc<dyn LanguageModel> = model.clone();
        let answerer = Answerer::new(self.collection.retriever.clone());
        let agent = Agent::new(answerer, shared).with_tool(self.wire.clone()).unwrap();
        let (scope, filter) = (IndexedCollection::reader(), Filter::default());
        let (answers, settings) = (AnswerSettings::default(), AgentSettings::default());
        let ask = AskRequest::new(SearchRequest::new(QUESTION, &scope, &filter), &answers);
        let outcome = agent.ask(&AgentRequest { ask, settings: &settings, policy: Policy::Loop }).unwrap();
        Attacked { outcome, model }
    }
}

/// What came of it.
pub(crate) struct Attacked {
    pub(crate) outcome: AgentOutcome,
    pub(crate) model: Arc<ScriptedModel>,
}

impl Attacked {
    /// Every tool result that the model was shown.
    pub(crate) fn results(&self) -> Vec<String> {
        let last = self.model.requests().pop().unwrap();
        let parts = last.messages.into_iter().flat_map(|message| message.parts);
        let results = parts.filter_map(|part| match part {
            ContentPart::ToolResult(result) => Some(result.text),
            _ => None,
        });
        results.collect()
    }

    /// The marker of the conversation.
    pub(crate) fn marker(&self) -> String {
        let opening = self.model.requests()[0].messages[0].text();
        opening.split("marker ").nth(1).unwrap().split('.').next().unwrap().to_owned()
    }

    /// Whether the claim that says `words` was held against its passage, and that refused as no ground for it.
    pub(crate) fn was_refused_as_ground(&self, words: &str) -> bool {
        let mut claims = self.outcome.answer.claims.iter().filter(|claim| claim.text.contains(words));
        claims.any(|claim| {
            claim.problems.iter().any(|problem| matches!(problem, ClaimProblem::MayNotBeCited(..)))
        })
    }

    /// Whether some claim of the answer stands unflagged that says `words`.
    pub(crate) fn has_unflagged(&self, words: &str) -> bool {
        let answer = &self.outcome.answer;
        let claims = answer.claims.iter().filter(|claim| claim.is_supported);
        let is_claimed = claims.map(|claim| claim.text.as_str()).any(|claim| claim.contains(words));
        // What is said in the answer outside any claim would be unflagged too.
        let is_said =
            answer.answer.contains(words) && !answer.claims.iter().any(|claim| claim.text.contains(words));
        is_claimed || is_said
    }
}
