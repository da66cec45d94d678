use adit_retrieve::SearchResponse;

use crate::Refusal;

/// Missing words that are named.
const NAMED_WORDS: usize = 6;
/// Nearest passages that are named.
const NAMED_PLACES: usize = 2;

/// Why the documents do not answer, and what to do next.
pub(crate) fn refusal(response: &SearchResponse, rewrites: &[String]) -> Refusal {
    let missing = &response.evidence.missing_terms;
    let named: Vec<String> = missing.iter().take(NAMED_WORDS).map(|word| format!("`{word}`")).collect();
    let reason = if response.passages.is_empty() {
        "no passage was found".to_owned()
    } else if named.is_empty() {
        "the passages that were found have the question's words but hardly together".to_owned()
    } else {
        format!("no passage contains {}", named.join(", "))
    };
    let mut next_steps = Vec::new();
    if !missing.is_empty() {
        next_steps.push(format!("search for another word for {}", named.join(" or ")));
        next_steps
            .push(format!("look with grep whether {} stands in the documents at all", named.join(" or ")));
    }
    let mut places: Vec<String> = Vec::new();
    for passage in &response.passages {
        let heading = passage.heading_path.last().map(|heading| format!(" > {heading}")).unwrap_or_default();
        let place = format!("{}{heading}", passage.source);
        if !places.contains(&place) && places.len() < NAMED_PLACES {
            places.push(place);
        }
    }
    if !places.is_empty() {
        next_steps.push(format!("read what comes nearest: {}", places.join("; ")));
    }
    if rewrites.is_empty() && response.passages.is_empty() {
        next_steps.push("ask with fewer filters, or as a reader who may see more".to_owned());
    }
    Refusal { reason, missing_terms: missing.clone(), next_steps }
}
