use serde_json::{Map, Value, json};

use crate::answer::count;
use crate::http::HttpFailure;
use crate::settings::EmbeddingKind;

/// Where texts go and vectors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputType {
    Query,
    Document,
}

pub(super) fn path(kind: EmbeddingKind) -> &'static str {
    match kind {
        EmbeddingKind::Cohere => "/embed",
        _ => "/embeddings",
    }
}

/// The body that asks for the vectors of `texts`. No provider may cut a text: those that do unless told
/// otherwise are told.
pub(super) fn body(
    kind: EmbeddingKind,
    model: &str,
    texts: &[String],
    input: InputType,
    dimension: Option<usize>,
) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(model));
    set(if kind == EmbeddingKind::Cohere { "texts" } else { "input" }, json!(texts));
    let dimension_field = match kind {
        EmbeddingKind::OpenAi => {
            set("encoding_format", json!("float"));
            "dimensions"
        }
        EmbeddingKind::Voyage => {
            set("input_type", json!(if input == InputType::Query { "query" } else { "document" }));
            set("truncation", json!(false));
            "output_dimension"
        }
        EmbeddingKind::Cohere => {
            let name = if input == InputType::Query { "search_query" } else { "search_document" };
            set("input_type", json!(name));
            set("embedding_types", json!(["float"]));
            set("truncate", json!("NONE"));
            "output_dimension"
        }
        EmbeddingKind::Jina => {
            let task = if input == InputType::Query { "retrieval.query" } else { "retrieval.passage" };
            set("task", json!(task));
            set("truncate", json!(false));
            "dimensions"
        }
    };
    if let Some(dimension) = dimension {
        set(dimension_field, json!(dimension));
    }
    Value::Object(body)
}

/// The vectors in the order of the texts, each of `dimension` numbers and of length 1, and the tokens billed
/// where they are told.
pub(super) fn read(
    kind: EmbeddingKind,
    answer: &Value,
    texts: usize,
    dimension: usize,
) -> Result<(Vec<Vec<f32>>, Option<u64>), HttpFailure> {
    let mut rows: Vec<Option<&Value>> = vec![None; texts];
    if kind == EmbeddingKind::Cohere {
        let found = answer.pointer("/embeddings/float").and_then(Value::as_array);
        let found = found.ok_or_else(|| HttpFailure::unreadable("the answer has no embeddings.float"))?;
        if found.len() != texts {
            return Err(HttpFailure::unreadable(format!("{} vectors for {texts} texts", found.len())));
        }
        rows = found.iter().map(Some).collect();
    } else {
        let found = answer.get("data").and_then(Value::as_array);
        let found = found.ok_or_else(|| HttpFailure::unreadable("the answer has no data"))?;
        for (position, entry) in found.iter().enumerate() {
            let index = entry.get("index").and_then(Value::as_u64).map_or(position, |index| index as usize);
            match rows.get_mut(index) {
                Some(row @ None) => *row = entry.get("embedding"),
                _ => return Err(HttpFailure::unreadable(format!("a vector for text {index} of {texts}"))),
            }
        }
    }
    let vectors = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let row = row.ok_or_else(|| HttpFailure::unreadable(format!("text {index} has no vector")))?;
            vector(row, dimension)
        })
        .collect::<Result<_, _>>()?;
    let pointer = match kind {
        EmbeddingKind::Cohere => "/meta/billed_units/input_tokens",
        _ => "/usage/total_tokens",
    };
    let billed = answer.pointer(pointer).is_some().then(|| count(answer, pointer));
    Ok((vectors, billed))
}

fn vector(row: &Value, dimension: usize) -> Result<Vec<f32>, HttpFailure> {
    let numbers = row.as_array().ok_or_else(|| HttpFailure::unreadable("a vector is no list"))?;
    if numbers.len() != dimension {
        let detail = format!("a vector has {} numbers, the settings say {dimension}", numbers.len());
        return Err(HttpFailure::unreadable(detail));
    }
    let numbers: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
    let numbers =
        numbers.ok_or_else(|| HttpFailure::unreadable("a vector holds something else than numbers"))?;
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-12 {
        return Err(HttpFailure::unreadable("a vector has no direction"));
    }
    Ok(numbers.iter().map(|number| (number / length) as f32).collect())
}
