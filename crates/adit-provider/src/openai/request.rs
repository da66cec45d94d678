use adit_core::{CompletionRequest, ContentPart, Message, OutputFormat, Role, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::settings::OutputLimitField;

/// Alternatives asked for at every token; the interface's most.
const ALTERNATIVES: u64 = 20;

/// The body of `POST /chat/completions`. Prompt-cache markers are left out: these servers cache by
/// themselves.
pub(super) fn body(
    model: &str,
    request: &CompletionRequest,
    limit_field: OutputLimitField,
    stream: bool,
) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(model));
    set("messages", Value::Array(messages(request)));
    let limit = match limit_field {
        OutputLimitField::MaxTokens => "max_tokens",
        OutputLimitField::MaxCompletionTokens => "max_completion_tokens",
    };
    set(limit, json!(request.max_output_tokens));
    if let Some(temperature) = request.temperature {
        set("temperature", json!(temperature));
    }
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
        set("tool_choice", tool_choice(&request.tool_choice));
    }
    match &request.output {
        OutputFormat::Text => {}
        OutputFormat::Json => {
            set("response_format", json!({"type": "json_object"}));
        }
        OutputFormat::Schema { name, schema } => {
            let shape = json!({"name": name, "schema": schema, "strict": true});
            set("response_format", json!({"type": "json_schema", "json_schema": shape}));
        }
    }
    if request.token_probabilities {
        set("logprobs", json!(true));
        set("top_logprobs", json!(ALTERNATIVES));
    }
    if stream {
        set("stream", json!(true));
        set("stream_options", json!({"include_usage": true}));
    }
    Value::Object(body)
}

fn messages(request: &CompletionRequest) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.push(assistant(message)),
        }
    }
    messages
}

/// Tool results are messages of their own and must come right after the calls, so they go first.
fn user(message: &Message, messages: &mut Vec<Value>) {
    for part in &message.parts {
        if let ContentPart::ToolResult(result) = part {
            let words = if result.is_error { format!("Error: {}", result.text) } else { result.text.clone() };
            messages.push(json!({"role": "tool", "tool_call_id": result.call_id, "content": words}));
        }
    }
    let words = words(message);
    if !words.is_empty() {
        messages.push(json!({"role": "user", "content": words}));
    }
}

fn assistant(message: &Message) -> Value {
    let words = words(message);
    let calls: Vec<Value> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            ContentPart::ToolCall(call) => Some(json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments.to_string()},
            })),
            _ => None,
        })
        .collect();
    let content = if words.is_empty() && !calls.is_empty() { Value::Null } else { json!(words) };
    if calls.is_empty() {
        return json!({"role": "assistant", "content": content});
    }
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}

/// The words and passages of a turn, each on lines of its own.
fn words(message: &Message) -> String {
    let words = message.parts.iter().filter_map(|part| match part {
        ContentPart::Text(words) => Some(words.as_str()),
        ContentPart::SearchResult(result) => Some(result.text.as_str()),
        ContentPart::ToolCall(_) | ContentPart::ToolResult(_) => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut function = json!({
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
    });
    if let (true, Some(fields)) = (tool.strict, function.as_object_mut()) {
        fields.insert("strict".to_owned(), json!(true));
    }
    json!({"type": "function", "function": function})
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
    }
}
