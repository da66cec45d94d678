//! Keeping a prompt inside the model's window.

use adit_core::{LanguageModelDescription, Message, Passage};

/// Characters for one token, on the safe side of what models' tokenizers give for English and German (4 and 3.3).
const CHARACTERS_PER_TOKEN: usize = 3;

/// Tokens of `text` for an unknown model: an estimate that errs towards too many for English and German.
#[must_use]
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// The best passages that fit into the model's window beside everything else, and how many were left out.
pub(crate) fn fitting<'p>(
    passages: &'p [Passage],
    model: &LanguageModelDescription,
    other_tokens: usize,
    max_output_tokens: usize,
) -> (&'p [Passage], usize) {
    let Some(window_tokens) = model.context_window_tokens else { return (passages, 0) };
    let mut left = window_tokens.saturating_sub(other_tokens).saturating_sub(max_output_tokens);
    let mut kept = 0;
    for passage in passages {
        let needed = passage_tokens(passage);
        if needed > left {
            break;
        }
        left -= needed;
        kept += 1;
    }
    (passages.get(..kept).unwrap_or(passages), passages.len() - kept)
}

/// The newest `limit` turns of a conversation, starting with a user's turn as providers demand.
#[must_use]
pub fn recent(history: &[Message], limit: usize) -> &[Message] {
    let newest = history.get(history.len().saturating_sub(limit)..).unwrap_or(history);
    let first_user = newest.iter().position(|message| message.role == adit_core::Role::User);
    first_user.and_then(|first| newest.get(first..)).unwrap_or_default()
}

fn passage_tokens(passage: &Passage) -> usize {
    // Id, source, headings and fence.
    const HEAD_TOKENS: usize = 80;
    estimated_tokens(&passage.text) + HEAD_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_starts_with_a_user() {
        let history =
            [Message::user("a"), Message::assistant("b"), Message::user("c"), Message::assistant("d")];
        assert_eq!(recent(&history, 3), &history[2..]);
        assert_eq!(recent(&history, 9), &history);
        assert!(recent(&history, 1).is_empty() && recent(&[], 4).is_empty());
    }
}
