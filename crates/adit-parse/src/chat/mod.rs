//! Conversations in turns: exports of WhatsApp, logs of the form `[time] name: text` and `time <name> text`,
//! and the channel files of a Slack export.
//!
//! Each turn is one [`BlockKind::Paragraph`](adit_core::BlockKind) that begins with its time and its
//! speaker; a chunker may cut between any two. A text log keeps its lines as they are. In a Slack channel
//! each day is a section.

mod slack;
mod turn;

use std::collections::BTreeSet;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
pub(crate) use slack::is_slack_export;
use turn::TurnStart;

/// Bytes of a file that are looked at to tell whether it is a conversation.
const SAMPLE_BYTES: usize = 16 << 10;
const SAMPLE_LINES: usize = 60;
/// Speakers that are listed.
const MAX_PARTICIPANTS: usize = 1_000;

/// Whether a text is the log of a conversation: most of its lines begin with a time and a name, and
/// someone speaks twice. The log of a program, whose "names" are levels, is none.
pub(crate) fn is_text_log(start: &[u8]) -> bool {
    let sample = String::from_utf8_lossy(start.get(..SAMPLE_BYTES).unwrap_or(start)).into_owned();
    let lines: Vec<&str> =
        sample.lines().map(str::trim).filter(|line| !line.is_empty()).take(SAMPLE_LINES).collect();
    let turns: Vec<TurnStart<'_>> = lines.iter().filter_map(|line| turn::start(line)).collect();
    let mut names: Vec<&str> = turns.iter().filter_map(|turn| turn.name).collect();
    let spoken = names.len();
    names.sort_unstable();
    names.dedup();
    let is_frequent = turns.len() * 3 >= lines.len() && spoken * 2 >= turns.len();
    is_frequent && spoken >= 3 && names.len() >= 2 && names.len() < spoken
}

/// Parses a conversation.
///
/// # Errors
/// [`ParseError::Damaged`] for a Slack export that is no JSON.
pub(crate) fn parse(text: &str) -> Result<ParsedDocument, ParseError> {
    let mut builder = DocumentBuilder::new();
    let mut participants = BTreeSet::new();
    if is_slack_export(text.as_bytes()) {
        slack::write(text, &mut builder, &mut participants)?;
    } else {
        write_log(text, &mut builder, &mut participants);
    }
    if !participants.is_empty() {
        let names = participants.into_iter().take(MAX_PARTICIPANTS).map(MetadataValue::Text).collect();
        builder.metadata().insert("participants".to_owned(), names);
    }
    Ok(builder.finish(MediaType::Chat))
}

/// Lines without a time belong to the turn before them.
fn write_log(text: &str, builder: &mut DocumentBuilder, participants: &mut BTreeSet<String>) {
    let mut turn = String::new();
    let mut gap = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(start) = turn::start(line.trim()) {
            end_turn(&mut turn, &mut gap, builder);
            participants.extend(start.name.map(str::to_owned));
        }
        turn.push_str(line);
    }
    end_turn(&mut turn, &mut gap, builder);
}

/// Writes a turn; the white space after it goes before the next one.
fn end_turn(turn: &mut String, gap: &mut String, builder: &mut DocumentBuilder) {
    let words = turn.trim();
    if !words.is_empty() {
        builder.set_gap(gap);
        builder.paragraph(words);
        gap.clear();
    }
    gap.push_str(turn.get(turn.trim_end().len()..).unwrap_or_default());
    turn.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;

    fn turns(document: &ParsedDocument) -> Vec<&str> {
        let is_turn = |kind: &BlockKind| matches!(kind, BlockKind::Paragraph);
        let blocks = document.blocks.iter().filter(|block| is_turn(&block.kind));
        blocks.map(|block| block.range.slice(&document.text).unwrap()).collect()
    }

    #[test]
    fn every_common_form_is_a_conversation() {
        for log in [
            "31/12/23, 10:15 PM - Messages are encrypted.\n31/12/23, 10:15 PM - Ann B: hello\nmore\n\n\
             31/12/23, 10:16 PM - Bob: hi\n31/12/23, 10:17 PM - Ann B: bye\n",
            "[31.12.23, 22:15:03] Ann B: hello\nmore\n\n[31.12.23, 22:16:00] Bob: hi\n[31.12.23, 22:17:00] Ann B: bye\n",
            "[2024-03-01 10:00] Ann B: hello\nmore\n\n[2024-03-01 10:01] Bob: hi\n[2024-03-01 10:02] Ann B: bye\n",
            "[10:00] <Ann B> hello\nmore\n\n[10:01] <Bob> hi\n[10:02] <Ann B> bye\n",
            "2024-03-01T10:00:00Z <Ann B> hello\nmore\n\n2024-03-01T10:01:00Z <Bob> hi\n2024-03-01T10:02:00Z <Ann B> bye\n",
        ] {
            assert!(is_text_log(log.as_bytes()), "{log}");
            let document = parse(log).unwrap();
            assert_eq!(document.text, log.trim_end());
            let turns = turns(&document);
            let spoken = &turns[turns.len() - 3..];
            assert!(spoken[0].ends_with("hello\nmore"), "{turns:?}");
            let names: Vec<_> =
                document.metadata["participants"].iter().map(MetadataValue::to_text).collect();
            assert_eq!(names, ["Ann B", "Bob"]);
        }
    }

    #[test]
    fn logs_of_programs_and_notes_are_no_conversation() {
        for text in [
            "[2024-03-01 10:00:00] INFO: started\n[2024-03-01 10:00:01] WARN: slow\n[2024-03-01 10:00:02] INFO: done\n",
            "10:00 breakfast: eggs\n12:00 lunch: soup\n",
            "Name: Ann\nAge: 3\nName: Bob\n",
            "Mar  1 10:00:00 host sshd[1]: opened\nMar  1 10:00:01 host sshd[1]: closed\n",
        ] {
            assert!(!is_text_log(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_slack_channel_has_days_names_and_plain_words() {
        let export = r#"[
            {"type": "message", "user": "U1", "ts": "1709287200.000100", "text": "Hi <@U2>, see <https://x.org|the page> &amp; &lt;b&gt;",
             "user_profile": {"real_name": "Ann B", "display_name": ""}},
            {"type": "message", "user": "U2", "ts": "1709373600.5", "thread_ts": "1709287200.000100", "text": "done",
             "user_profile": {"display_name": "bob"}, "files": [{"name": "plan.pdf"}]},
            {"type": "message", "subtype": "bot_message", "username": "robot", "ts": "1709373601.0", "text": "",
             "attachments": [{"title": "Build", "text": "green"}]}
        ]"#;
        assert!(is_slack_export(export.as_bytes()));
        let document = parse(export).unwrap();
        assert_eq!(
            document.text,
            "2024-03-01\n\n[2024-03-01 10:00] Ann B: Hi @bob, see the page (https://x.org) & <b>\n\n2024-03-02\n\n\
             [2024-03-02 10:00] bob (in a thread): done\nFile: plan.pdf\n\n[2024-03-02 10:00] robot: Build\ngreen"
        );
        assert_eq!(document.sections.len(), 2);
        assert!(!is_slack_export(br#"[{"name": "x", "text": "y"}]"#));
    }
}
