use adit_core::TextRange;

/// How good a place to cut is, from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Boundary {
    /// Behind a heading or a table's header: only where nothing else is possible.
    Forbidden,
    /// Between words, or inside one.
    Word,
    /// Between sentences, lines of code or cells.
    Sentence,
    /// Between rows, list items or paragraphs of code.
    Part,
    /// Between blocks.
    Block,
}

/// The smallest piece the packer moves: a sentence, a row, an item, a line, or a block that stays whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Atom {
    /// Bytes it covers; atoms tile their segment.
    pub(crate) range: TextRange,
    /// Estimated tokens, special tokens left out.
    pub(crate) tokens: usize,
    /// Its unit.
    pub(crate) unit: usize,
    /// The cut before it.
    pub(crate) boundary: Boundary,
    /// Running text, so that its start may be preceded by an overlap.
    pub(crate) is_prose: bool,
    /// A whole sentence, so that it may itself be the overlap.
    pub(crate) is_sentence: bool,
    /// Header rows to repeat when a chunk begins here.
    pub(crate) header: Option<TextRange>,
}
