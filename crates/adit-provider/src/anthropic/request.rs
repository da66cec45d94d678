use adit_core::{CompletionRequest, ContentPart, Message, OutputFormat, Role, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

/// Places where a request may say that its prefix is to be cached.
const MAX_CACHE_MARKERS: usize = 4;

/// The body of `POST /messages`.
///
/// Of the cache markers the last ones count when there are more than the interface takes: a longer prefix
/// holds the shorter ones. Passages become `search_result` blocks with citations, unless the answer is held
/// to a shape, which the interface does not take together; they are given as text then.
pub(super) fn body(model: &str, request: &CompletionRequest, sends_temperature: bool, stream: bool) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(model));
    set("max_tokens", json!(request.max_output_tokens));
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if !request.system.is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        if request.cache_system {
            mark(&mut system);
        }
        set("system", json!([system]));
    } else if let (true, Some(last)) = (request.cache_system, tools.last_mut()) {
        mark(last);
    }
    set("messages", Value::Array(messages(request)));
    if let (Some(temperature), true) = (request.temperature, sends_temperature) {
        set("temperature", json!(temperature));
    }
    if !tools.is_empty() {
        set("tools", Value::Array(tools));
        set("tool_choice", tool_choice(&request.tool_choice));
    }
    if let OutputFormat::Schema { schema, .. } = &request.output {
        set("output_config", json!({"format": {"type": "json_schema", "schema": schema}}));
    }
    if stream {
        set("stream", json!(true));
    }
    Value::Object(body)
}

fn messages(request: &CompletionRequest) -> Vec<Value> {
    let cites = !matches!(request.output, OutputFormat::Schema { .. });
    let room = MAX_CACHE_MARKERS - usize::from(request.cache_system);
    let marked = request.messages.iter().filter(|message| message.cache_here).count();
    let mut unmarked = marked.saturating_sub(room);
    request
        .messages
        .iter()
        .map(|message| {
            let mut content = content(message, cites);
            if message.cache_here {
                if unmarked > 0 {
                    unmarked -= 1;
                } else if let Some(last) = content.last_mut() {
                    mark(last);
                }
            }
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            json!({"role": role, "content": content})
        })
        .collect()
}

/// The blocks of a turn; tool results come first, as the interface wants them. Empty text is left out, which
/// the interface refuses.
fn content(message: &Message, cites: bool) -> Vec<Value> {
    let (results, others): (Vec<_>, Vec<_>) =
        message.parts.iter().partition(|part| matches!(part, ContentPart::ToolResult(_)));
    results.into_iter().chain(others).filter_map(|part| block(part, cites)).collect()
}

fn block(part: &ContentPart, cites: bool) -> Option<Value> {
    match part {
        ContentPart::Text(words) => {
            (!words.trim().is_empty()).then(|| json!({"type": "text", "text": words}))
        }
        ContentPart::SearchResult(result) if cites => Some(json!({
            "type": "search_result",
            "source": result.source,
            "title": result.title,
            "content": [{"type": "text", "text": result.passage}],
            "citations": {"enabled": true},
        })),
        ContentPart::SearchResult(result) => Some(json!({"type": "text", "text": result.text})),
        ContentPart::ToolCall(call) => {
            // The interface takes an object only; what the model wrote as something else goes back inside one.
            let input = match &call.arguments {
                Value::Object(_) => call.arguments.clone(),
                other => json!({"unreadable": other}),
            };
            Some(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}))
        }
        ContentPart::ToolResult(result) => {
            let mut block =
                json!({"type": "tool_result", "tool_use_id": result.call_id, "content": result.text});
            if let (true, Some(fields)) = (result.is_error, block.as_object_mut()) {
                fields.insert("is_error".to_owned(), json!(true));
            }
            Some(block)
        }
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut definition =
        json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema});
    if let (true, Some(fields)) = (tool.strict, definition.as_object_mut()) {
        fields.insert("strict".to_owned(), json!(true));
    }
    definition
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    }
}

fn mark(block: &mut Value) {
    if let Some(fields) = block.as_object_mut() {
        fields.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}
