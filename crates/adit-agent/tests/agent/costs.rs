use std::sync::Arc;

use adit_agent::{Called, ModelPurpose, Privilege, Tool, ToolFailure, ToolOutput};
use adit_core::{TokenUsage, ToolDefinition};
use adit_cost::{Ledger, LedgerEntry, LedgerKey, PriceTable, Purpose, Usage, Workload, loop_input_tokens};
use adit_testkit::ScriptedModel;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::setting::{Asking, agent, collection};

/// A tool whose every result has as many words as the next.
struct Steady;

impl Tool for Steady {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "steady".to_owned(),
            description: "Gives a note.".to_owned(),
            input_schema: json!({ "type": "object" }),
            strict: false,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, _arguments: &Map<String, Value>, _budget: usize) -> Result<ToolOutput, ToolFailure> {
        let notes = vec!["word ".repeat(200).trim_end().to_owned()];
        Ok(ToolOutput { notes, ..ToolOutput::default() })
    }
}

fn billed(usage: TokenUsage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        cached_input_tokens: usage.cached_input_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        output_tokens: usage.output_tokens,
        embedded_tokens: 0,
    }
}

#[test]
fn the_ledger_the_outcome_and_the_cost_model_count_the_same_tokens() {
    let collection = collection();
    for searches in [1_u32, 3, 6] {
        let mut model = ScriptedModel::new();
        for number in 0..searches {
            model = model.call_tools_once("Question:", &[("steady", json!({"n": number}))]);
        }
        let model = Arc::new(model.answer("Question:", "done done done"));
        let agent = agent(&collection, &model).with_tool(Arc::new(Steady)).unwrap();
        let outcome = Asking::default().by(&agent);
        let calls: Vec<TokenUsage> = outcome
            .agent
            .calls
            .iter()
            .filter(|call| call.called == Called::Model { purpose: ModelPurpose::Step })
            .map(|call| call.usage)
            .collect();
        assert_eq!(calls.len(), searches as usize + 1);

        let prices = PriceTable::built_in().unwrap();
        let mut ledger = Ledger::default();
        for call in &calls {
            let (now, usage) = (Timestamp::UNIX_EPOCH, billed(*call));
            let entry =
                LedgerEntry::priced(now, Purpose::Answer, "claude-haiku-4-5", usage, &prices).unwrap();
            ledger.record(LedgerEntry { trace_id: Some("t".to_owned()), ..entry }).unwrap();
        }
        let total = ledger.sums_by(LedgerKey::Trace)["t"];
        assert_eq!(total.usage, billed(outcome.answer.usage));

        // P is the first call's input, a what each further call reads more; both from the first two calls.
        let prompt = calls[0].input_tokens;
        let growth = calls[1].input_tokens - calls[0].input_tokens;
        let predicted = loop_input_tokens(searches + 1, prompt, growth);
        assert_eq!(total.usage.input_tokens, predicted);
        let workload = Workload {
            system_tokens: prompt,
            question_tokens: 0,
            tool_schema_tokens: 0,
            tool_call_tokens: calls[0].output_tokens,
            passages_tokens: growth - calls[0].output_tokens,
            answer_tokens: 3,
        };
        let modelled: Usage = workload.agentic_calls(searches).sum();
        assert_eq!(total.usage, modelled);
    }
}
