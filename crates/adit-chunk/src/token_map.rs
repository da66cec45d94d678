use adit_core::{ChunkError, EmbedError, TextRange, Tokenizer};

/// Where the tokens of a text start, found in one pass, so that the size of any part of it can be
/// estimated by two binary searches instead of another call of the tokenizer.
///
/// It is an estimate because a tokenizer may join or part what stands at the edge of a piece; whoever
/// makes a chunk of it counts that once more.
pub(crate) struct TokenMap {
    /// Byte offsets in rising order; equal ones where several tokens come from one character.
    starts: Vec<usize>,
}

impl TokenMap {
    /// Tokenises each of `pieces`, which rise and do not overlap.
    pub(crate) fn build(
        text: &str,
        pieces: impl Iterator<Item = TextRange>,
        tokenizer: &dyn Tokenizer,
    ) -> Result<Self, ChunkError> {
        let mut starts = Vec::new();
        for piece in pieces {
            let Some(words) = piece.slice(text) else { continue };
            for token in tokenizer.token_ranges(words).map_err(tokenizer_failed)? {
                let offset = text.floor_char_boundary((piece.start + token.start).min(piece.end));
                starts.push(starts.last().map_or(offset, |last: &usize| offset.max(*last)));
            }
        }
        Ok(Self { starts })
    }

    /// Estimated tokens of `range`, special tokens left out.
    pub(crate) fn count(&self, range: TextRange) -> usize {
        self.position(range.end) - self.position(range.start)
    }

    /// Where a piece of at most `tokens` tokens that starts at `offset` ends, if more tokens follow. Always
    /// after `offset`, even where one character alone is more tokens than that.
    pub(crate) fn cut_after(&self, offset: usize, tokens: usize) -> Option<usize> {
        let cut = *self.starts.get(self.position(offset) + tokens.max(1))?;
        if cut > offset { Some(cut) } else { self.starts.get(self.position(offset + 1)).copied() }
    }

    /// Where the last `tokens` tokens before `offset` begin, if that is after `floor`.
    pub(crate) fn cut_before(&self, offset: usize, tokens: usize, floor: usize) -> Option<usize> {
        let wanted = self.position(offset).checked_sub(tokens)?;
        // Several tokens may share one start; the first of the next character keeps the promise.
        let cut = *self.starts.get(wanted)?;
        let cut = if wanted > 0 && self.starts.get(wanted - 1) == Some(&cut) {
            *self.starts.get(self.position(cut + 1))?
        } else {
            cut
        };
        (cut > floor && cut <= offset).then_some(cut)
    }

    /// How many tokens start before `offset`.
    fn position(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start < offset)
    }
}

pub(crate) fn tokenizer_failed(error: EmbedError) -> ChunkError {
    match error {
        EmbedError::Tokenizer { detail } => ChunkError::Tokenizer { detail },
        other => ChunkError::Tokenizer { detail: other.to_string() },
    }
}
