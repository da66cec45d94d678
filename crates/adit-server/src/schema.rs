use std::borrow::Cow;
use std::sync::Arc;

use adit_core::ToolDefinition;
use adit_index::Facet;
use adit_retrieve::MIN_BUDGET_TOKENS;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::ServerOptions;
use crate::collection::Collection;

/// The most passages a call may ask for.
pub(crate) const MAX_LIMIT: usize = 50;
/// Keys offered for filtering.
const OFFERED_KEYS: usize = 20;
/// A key with more different values is filtered by a text or range instead of a choice.
const OFFERED_VALUES: usize = 30;

/// All tools, described for the collection as it is now.
pub(crate) fn tools(
    collection: &Collection,
    options: &ServerOptions,
    reading: Vec<ToolDefinition>,
) -> Vec<Tool> {
    let holds = collection.description();
    let mut tools = vec![
        tool(
            "search_docs",
            "Search documents",
            search_docs_text(&holds),
            search_docs_schema(collection, options),
        ),
        tool("read_document", "Read a document", READ_DOCUMENT.to_owned(), read_document_schema(options)),
        tool("search", "Search (connector)", format!("{SEARCH} {holds}"), search_schema()),
        tool("fetch", "Fetch (connector)", FETCH.to_owned(), fetch_schema()),
        tool("ask", "Answer from the documents", format!("{ASK} {holds}"), ask_schema(collection, options)),
    ];
    tools.extend(reading.into_iter().map(|definition| reading_tool(definition, options)));
    tools
}

const ASK: &str = "Answers one question from the documents at once: a short answer in which every claim cites its \
    passage, claims that the passages do not support marked, and how far to trust it; or says that the documents do \
    not answer, why, and what to try next. Use it for a question of fact that the documents should answer. Use \
    search_docs instead to read and judge the passages yourself, to compare, or to summarise. Repeat a refusal as \
    one; do not answer in its place from memory.";

fn ask_schema(collection: &Collection, options: &ServerOptions) -> Value {
    let mut properties = json!({
        "question": { "type": "string", "minLength": 1, "description": "One question, complete in itself." },
        "max_tokens": max_tokens(options)
    });
    let filters = filters_schema(&collection.facets);
    if let (Some(filters), Some(properties)) = (filters, properties.as_object_mut()) {
        properties.insert("filters".to_owned(), filters);
    }
    object(properties, &["question"])
}

/// A reading tool of the agent, with a token budget beside its own arguments.
fn reading_tool(definition: ToolDefinition, options: &ServerOptions) -> Tool {
    let ToolDefinition { name, description, mut input_schema, .. } = definition;
    if let Some(properties) = input_schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("max_tokens".to_owned(), max_tokens(options));
    }
    let title = if name == "grep" { "Find exact words" } else { "List documents" };
    tool(name, title, description, input_schema)
}

const READ_DOCUMENT: &str = "Reads a document that search_docs found, or the part of it around a passage, in \
    the document's own words. Use it when a passage is cut off or its surroundings matter. The answer obeys \
    max_tokens; when it ends with [truncated: ...], call again from the place that line names.";
const SEARCH: &str = "Finds documents and returns their ids, titles and URLs as JSON; read one with fetch. \
    Prefer search_docs where it is available: it returns the passages themselves.";
const FETCH: &str = "Returns the text of one document by an id from search, as JSON.";

fn search_docs_text(holds: &str) -> String {
    format!(
        "Finds passages in the documents of this collection, by their words and by their meaning, and returns \
         them in the documents' own words with a citation such as [doc:3f9a1c20b7d4#2]. {holds} \
         Write the query as a short question or 2 to 8 keywords; copy names, codes and error numbers (R-17, \
         ERR_4021) exactly; ask for one thing a call. The score says how far a passage stands above \
         this query's average candidate (0.50) in both searches; it is no probability, and scores of different \
         queries cannot be compared. A \
         note about weak evidence means the documents may not hold the answer. \
         Do NOT call it for general knowledge, arithmetic, writing or coding that does not depend on these \
         documents, nor again for something already in the conversation."
    )
}

fn tool(name: impl Into<Cow<'static, str>>, title: &str, description: String, schema: Value) -> Tool {
    let schema = if let Value::Object(schema) = schema { schema } else { JsonObject::new() };
    let annotations = ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false);
    Tool::new(name, description, Arc::new(schema)).with_annotations(annotations)
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn search_docs_schema(collection: &Collection, options: &ServerOptions) -> Value {
    let mut properties = json!({
        "query": { "type": "string", "minLength": 1, "description": "The question, or 2 to 8 keywords." },
        "limit": {
            "type": "integer", "minimum": 1, "maximum": MAX_LIMIT,
            "description": format!("Most passages to return; {} if left out.", options.limit)
        },
        "max_tokens": max_tokens(options)
    });
    let filters = filters_schema(&collection.facets);
    if let (Some(filters), Some(properties)) = (filters, properties.as_object_mut()) {
        properties.insert("filters".to_owned(), filters);
    }
    object(properties, &["query"])
}

/// One property for each metadata key in scope, its values as an enumeration where they are few.
fn filters_schema(facets: &[Facet]) -> Option<Value> {
    let offered = facets.iter().filter(|facet| facet.key != "title" && facet.distinct_values > 0);
    let keys: JsonObject =
        offered.take(OFFERED_KEYS).map(|facet| (facet.key.clone(), filter_schema(facet))).collect();
    let description = "Only documents for which every given key matches. Leave it out unless the question \
        itself restricts where to look.";
    (!keys.is_empty()).then(|| {
        json!({
            "type": "object", "description": description, "properties": keys, "additionalProperties": false
        })
    })
}

fn filter_schema(facet: &Facet) -> Value {
    if facet.distinct_values <= OFFERED_VALUES {
        let values: Vec<&str> = facet.values.iter().map(|value| value.value.as_str()).collect();
        return json!({
            "type": "array", "minItems": 1, "items": { "type": "string", "enum": values },
            "description": "Any of these."
        });
    }
    let example = facet.values.first().map(|value| value.value.as_str()).unwrap_or_default();
    json!({
        "type": "string", "minLength": 1,
        "description": format!("A value such as \"{example}\", or a range: \"low..high\", \">=low\", \"<=high\".")
    })
}

fn read_document_schema(options: &ServerOptions) -> Value {
    object(
        json!({
            "id": {
                "type": "string", "minLength": 1,
                "description": "A document id (3f9a1c20b7d4), or a passage id (3f9a1c20b7d4#2) to start at that passage."
            },
            "start_chunk": {
                "type": "integer", "minimum": 0,
                "description": "Start at this chunk; 0 is the beginning."
            },
            "start_character": {
                "type": "integer", "minimum": 0,
                "description": "Start at this character instead; 0 is the beginning."
            },
            "max_tokens": max_tokens(options)
        }),
        &["id"],
    )
}

fn max_tokens(options: &ServerOptions) -> Value {
    json!({
        "type": "integer", "minimum": MIN_BUDGET_TOKENS, "maximum": options.max_budget_tokens,
        "description": format!("Most tokens of the answer; {} if left out.", options.budget_tokens)
    })
}

fn search_schema() -> Value {
    object(
        json!({ "query": { "type": "string", "minLength": 1, "description": "What to look for." } }),
        &["query"],
    )
}

fn fetch_schema() -> Value {
    object(
        json!({ "id": { "type": "string", "minLength": 1, "description": "An id from search." } }),
        &["id"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_index::FacetValue;

    fn facet(key: &str, values: &[&str], distinct_values: usize) -> Facet {
        let value = |value: &&str| FacetValue { value: (*value).to_owned(), documents: 1 };
        Facet {
            key: key.to_owned(),
            documents: 1,
            values: values.iter().map(value).collect(),
            distinct_values,
        }
    }

    #[test]
    fn every_schema_is_strict_and_filters_are_enumerations() {
        let facets = vec![
            facet("team", &["legal", "sales"], 2),
            facet("source", &["a.md"], 400),
            facet("title", &["A"], 1),
        ];
        let collection = Collection { documents: 400, facets };
        let tools = tools(&collection, &ServerOptions::default(), Vec::new());
        assert_eq!(tools.len(), 5);
        for tool in &tools {
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        }
        let filters = &tools[0].input_schema["properties"]["filters"];
        assert_eq!(filters["additionalProperties"], false);
        assert_eq!(filters["properties"]["team"]["items"]["enum"], json!(["legal", "sales"]));
        assert_eq!(filters["properties"]["source"]["type"], "string");
        assert!(filters["properties"].get("title").is_none());
        assert!(tools[0].description.as_ref().unwrap().contains("Do NOT call it"));
    }

    #[test]
    fn an_empty_collection_offers_no_filters() {
        let collection = Collection { documents: 0, facets: Vec::new() };
        let tools = tools(&collection, &ServerOptions::default(), Vec::new());
        assert!(tools[0].input_schema["properties"].get("filters").is_none());
    }
}
