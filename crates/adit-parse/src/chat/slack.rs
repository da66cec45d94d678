use std::collections::{BTreeSet, HashMap};

use adit_core::{MediaType, ParseError};
use mail_parser::DateTime;
use serde_json::Value;

use crate::builder::DocumentBuilder;

const SAMPLE_BYTES: usize = 4096;

/// Whether a JSON file is a channel of a Slack export: a list of messages with a time stamp. Told by its
/// beginning, so that other JSON is not parsed twice.
pub(crate) fn is_slack_export(start: &[u8]) -> bool {
    let sample = String::from_utf8_lossy(start.get(..SAMPLE_BYTES).unwrap_or(start));
    let sample: String = sample.chars().filter(|one| !one.is_whitespace()).collect();
    sample.starts_with("[{")
        && sample.contains("\"type\":\"message\"")
        && (sample.contains("\"ts\":\"1") || sample.contains("\"ts\":1"))
        && sample.contains("\"text\":")
}

/// Writes the messages, a section a day.
pub(crate) fn write(
    text: &str,
    builder: &mut DocumentBuilder,
    participants: &mut BTreeSet<String>,
) -> Result<(), ParseError> {
    let messages: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| ParseError::Damaged { media_type: MediaType::Chat, detail: error.to_string() })?;
    let names = names_of(&messages);
    let mut day = String::new();
    for message in &messages {
        let words = words_of(message, &names);
        if words.is_empty() {
            continue;
        }
        let time = time_of(message);
        let date = time.as_deref().and_then(|time| time.get(..10)).unwrap_or_default();
        if date != day {
            builder.heading(1, date);
            day = date.to_owned();
        }
        let name = speaker(message, &names);
        let place = if is_reply(message) { " (in a thread)" } else { "" };
        let time = time.map(|time| format!("[{time}] ")).unwrap_or_default();
        builder.paragraph(&format!("{time}{name}{place}: {words}"));
        participants.insert(name);
    }
    Ok(())
}

/// The names of users by their ids, as far as their profile stands beside a message of theirs.
fn names_of(messages: &[Value]) -> HashMap<String, String> {
    let profiles = messages.iter().filter_map(|message| {
        let profile = message.get("user_profile")?;
        let name = ["display_name", "real_name", "name"]
            .iter()
            .filter_map(|key| profile.get(*key)?.as_str())
            .find(|name| !name.trim().is_empty())?;
        Some((message.get("user")?.as_str()?.to_owned(), name.trim().to_owned()))
    });
    profiles.collect()
}

fn speaker(message: &Value, names: &HashMap<String, String>) -> String {
    let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
    let user = text("user").map(|id| names.get(id).cloned().unwrap_or_else(|| id.to_owned()));
    user.or_else(|| text("username").or_else(|| text("bot_id")).map(str::to_owned))
        .unwrap_or_else(|| "unknown".to_owned())
}

fn is_reply(message: &Value) -> bool {
    message.get("thread_ts").is_some_and(|thread| Some(thread) != message.get("ts"))
}

/// `2024-03-01 10:00`, in UTC.
fn time_of(message: &Value) -> Option<String> {
    let stamp = message.get("ts")?;
    let seconds: i64 = match stamp.as_str() {
        Some(text) => text.split('.').next()?.parse().ok()?,
        None => stamp.as_i64()?,
    };
    let date = DateTime::from_timestamp(seconds);
    date.is_valid()
        .then(|| date.to_rfc3339())
        .and_then(|date| date.get(..16).map(|date| date.replace('T', " ")))
}

/// The message, then what is attached to it.
fn words_of(message: &Value, names: &HashMap<String, String>) -> String {
    let mut lines = Vec::new();
    let mut push = |value: Option<&Value>, lead: &str| {
        if let Some(text) = value
            .and_then(Value::as_str)
            .map(|text| plain(text, names))
            .filter(|text| !text.trim().is_empty())
        {
            lines.push(format!("{lead}{}", text.trim()));
        }
    };
    push(message.get("text"), "");
    let list = |key: &str| message.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for attachment in list("attachments") {
        push(attachment.get("title"), "");
        push(attachment.get("text").or_else(|| attachment.get("fallback")), "");
    }
    for file in list("files") {
        push(file.get("name").or_else(|| file.get("title")), "File: ");
    }
    lines.join("\n")
}

/// Slack's own marks as words: users by name, links by their words and address, `&amp;` as `&`.
fn plain(text: &str, names: &HashMap<String, String>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((mark, after)) = after.split_once('>') else {
            plain.push('<');
            rest = after;
            continue;
        };
        let (target, label) =
            mark.split_once('|').map_or((mark, None), |(target, label)| (target, Some(label)));
        match (target.strip_prefix('@'), target.strip_prefix('#'), label) {
            (Some(user), _, _) => {
                plain.push('@');
                plain.push_str(names.get(user).map_or(label.unwrap_or(user), String::as_str));
            }
            (_, Some(channel), _) => {
                plain.push('#');
                plain.push_str(label.unwrap_or(channel));
            }
            (_, _, Some(label)) if target.starts_with('!') => plain.push_str(label),
            (_, _, Some(label)) => plain.push_str(&format!("{label} ({target})")),
            (_, _, None) => plain.push_str(target.trim_start_matches('!')),
        }
        rest = after;
    }
    plain.push_str(rest);
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
