use serde_json::Value;

use super::failure::{FailureKind, HttpFailure};

/// Characters of an answer that are shown when it is no JSON.
const SHOWN_CHARACTERS: usize = 300;

/// What a status outside 2xx means; `body` is what came with it, the key already taken out.
pub(super) fn failure(status: u16, body: &str) -> HttpFailure {
    let said = message(body);
    let kind = match status {
        429 if is_out_of_quota(body) => FailureKind::NotPermitted,
        429 => FailureKind::RateLimited,
        401..=403 => FailureKind::NotPermitted,
        413 => FailureKind::TooLong,
        400 | 422 if is_too_long(&said, body) => FailureKind::TooLong,
        408 | 425 | 500..=599 => FailureKind::Unreachable,
        _ => FailureKind::Rejected,
    };
    let redirect = if (300..400).contains(&status) { ", and redirects are not followed" } else { "" };
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    HttpFailure::new(kind, format!("status {status}{redirect}{said}"))
}

/// The provider's words: `error.message`, `message`, `detail` or `error`, else the beginning of the body.
pub(crate) fn message(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let said = json.as_ref().and_then(|json| {
        ["/error/message", "/message", "/detail", "/error"]
            .iter()
            .find_map(|pointer| json.pointer(pointer).and_then(Value::as_str))
    });
    shortened(said.unwrap_or(body).trim())
}

/// `text`, or its beginning with the number of characters that are left out.
pub(crate) fn shortened(text: &str) -> String {
    let characters = text.chars().count();
    if characters <= SHOWN_CHARACTERS {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(SHOWN_CHARACTERS).collect();
    format!("{beginning} ({} more characters)", characters - SHOWN_CHARACTERS)
}

/// OpenAI answers 429 for an account without money as well, which no waiting mends.
fn is_out_of_quota(body: &str) -> bool {
    body.contains("insufficient_quota")
}

fn is_too_long(said: &str, body: &str) -> bool {
    let said = said.to_lowercase();
    let phrases =
        ["prompt is too long", "context length", "context size", "context window", "too many tokens"];
    phrases.iter().any(|phrase| said.contains(phrase))
        || ["context_length_exceeded", "exceed_context_size_error"].iter().any(|code| body.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_meaning() {
        let quota = r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
        let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
        let code = r#"{"error":{"message":"Too much","code":"context_length_exceeded"}}"#;
        for (status, body, kind) in [
            (429, "{}", FailureKind::RateLimited),
            (429, quota, FailureKind::NotPermitted),
            (401, "{}", FailureKind::NotPermitted),
            (403, "", FailureKind::NotPermitted),
            (413, "", FailureKind::TooLong),
            (400, long, FailureKind::TooLong),
            (400, code, FailureKind::TooLong),
            (400, "{}", FailureKind::Rejected),
            (404, "", FailureKind::Rejected),
            (302, "", FailureKind::Rejected),
            (500, "", FailureKind::Unreachable),
            (529, "", FailureKind::Unreachable),
        ] {
            assert_eq!(failure(status, body).kind, kind, "{status} {body}");
        }
    }

    #[test]
    fn the_providers_words_are_found_and_kept_short() {
        assert_eq!(message(r#"{"error":{"message":"no"}}"#), "no");
        assert_eq!(message(r#"{"error":"model not found"}"#), "model not found");
        assert_eq!(message(r#"{"detail":"wrong input"}"#), "wrong input");
        assert_eq!(message(" <html> "), "<html>");
        let long = message(&"\u{e9}".repeat(1000));
        assert!(long.ends_with("(700 more characters)"), "{long}");
    }
}
