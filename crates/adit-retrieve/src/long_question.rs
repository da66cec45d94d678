use adit_core::{EmbedError, Embedder};

/// Parts of a question that are embedded, at most: each is a run of the model.
const MOST_WINDOWS: usize = 16;

/// The vector of a question that is longer than the embedder reads.
pub(crate) struct LongQuestion {
    /// The normalised mean of its parts' vectors.
    pub(crate) vector: Vec<f32>,
    /// How many parts were embedded.
    pub(crate) windows: usize,
    /// Bytes at the end of the question that are in no part.
    pub(crate) left_out_bytes: usize,
}

/// Embeds a question part by part, cut between sentences where there are any, and takes the mean: a persona
/// or a ticket pasted as a question is about everything it says, not about how it begins.
pub(crate) fn embed(embedder: &dyn Embedder, question: &str) -> Result<LongQuestion, EmbedError> {
    let tokenizer = embedder.tokenizer();
    let room_tokens = tokenizer.max_input_tokens().saturating_sub(tokenizer.special_tokens()).max(1);
    let token_ends: Vec<usize> = tokenizer.token_ranges(question)?.iter().map(|range| range.end).collect();
    let parts = windows(question, &token_ends, room_tokens);
    let mut sum: Vec<f32> = Vec::new();
    let mut embedded = 0_usize;
    let mut read_bytes = 0;
    for part in parts.iter().take(MOST_WINDOWS) {
        read_bytes += part.len();
        // A query template may take tokens of its own; then the part is a little too long for it.
        let vector = match embedder.embed_query(part.trim()) {
            Err(EmbedError::InputTooLong { .. }) => embedder.embed_query(shorter(part))?,
            result => result?,
        };
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(&vector).for_each(|(sum, value)| *sum += value);
        embedded += 1;
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    sum.iter_mut().for_each(|value| *value /= length);
    Ok(LongQuestion { vector: sum, windows: embedded, left_out_bytes: question.len() - read_bytes })
}

/// Parts of at most `room_tokens` tokens that together are the whole text, each ending after a sentence where
/// its second half has an end of one. `token_ends` are the byte ends of the text's tokens.
fn windows<'a>(text: &'a str, token_ends: &[usize], room_tokens: usize) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut first_token = 0;
    while start < text.len() {
        let last = token_ends.get(first_token + room_tokens - 1).copied();
        let end = match last {
            Some(end) if end < text.len() => sentence_end(text, start, end).unwrap_or(end),
            _ => text.len(),
        };
        // A tokenizer that gives no progress would never end.
        let end = if end > start { end } else { text.len() };
        parts.extend(text.get(start..end));
        first_token = token_ends.partition_point(|token_end| *token_end <= end);
        start = end;
    }
    parts
}

/// The last end of a sentence in the second half of `start..end`.
fn sentence_end(text: &str, start: usize, end: usize) -> Option<usize> {
    let window = text.get(start..end)?;
    let half = window.len() / 2;
    let ends =
        window.char_indices().filter(|(_, one)| matches!(one, '.' | '?' | '!' | '\n' | '。' | '？' | '！'));
    ends.map(|(at, one)| at + one.len_utf8()).rfind(|at| *at > half).map(|at| start + at)
}

fn shorter(part: &str) -> &str {
    let middle = part.len() / 2;
    let cut = part.char_indices().map(|(at, _)| at).find(|at| *at >= middle).unwrap_or(part.len());
    part.get(..cut).unwrap_or(part).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words_end(text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        for (at, one) in text.char_indices() {
            if one.is_whitespace() {
                ends.push(at);
            }
        }
        ends.push(text.len());
        ends
    }

    #[test]
    fn parts_end_after_sentences() {
        let text = "one two three. four five six seven eight nine ten";
        let parts = windows(text, &words_end(text), 4);
        assert_eq!(parts, ["one two three.", " four five six seven", " eight nine ten"]);
    }

    proptest! {
        #[test]
        fn parts_are_the_text_and_none_is_too_long(words in proptest::collection::vec("[a-zé]{1,6}[.]?", 1..60), room in 1_usize..9) {
            let text = words.join(" ");
            let ends = words_end(&text);
            let parts = windows(&text, &ends, room);
            prop_assert_eq!(parts.concat(), text.as_str());
            for part in parts {
                prop_assert!(part.split_whitespace().count() <= room + 1, "{part:?}");
            }
        }
    }
}
