//! Rough sizes, for where no tokenizer has read anything yet.

/// English prose, tokens a word: the rule of thumb of the project's production retrieval article.
pub const TOKENS_PER_WORD: f64 = 1.3;

/// An A4 page of 550 words, rounded as the same article does.
pub const TOKENS_PER_PAGE: f64 = 700.0;

/// Characters a token: the rule of thumb for prompts and schemas in English.
pub const CHARACTERS_PER_TOKEN: f64 = 4.0;

/// Pages that `tokens` fill.
#[must_use]
pub fn pages(tokens: u64, tokens_per_page: f64) -> f64 {
    tokens as f64 / tokens_per_page
}

/// US dollars of parsing `pages` at a price per thousand.
#[must_use]
pub fn parsing_usd(pages: f64, usd_per_thousand_pages: f64) -> f64 {
    pages / 1000.0 * usd_per_thousand_pages
}

/// Fixed windows of `size_tokens` that overlap by `overlap_tokens`: one, and one more for every
/// stride still left, rounded up. `None` where the overlap leaves no stride.
#[must_use]
pub fn chunk_count(tokens: u64, size_tokens: u64, overlap_tokens: u64) -> Option<u64> {
    let stride = size_tokens.checked_sub(overlap_tokens).filter(|stride| *stride > 0)?;
    if tokens == 0 {
        return Some(0);
    }
    Some(1 + tokens.saturating_sub(size_tokens).div_ceil(stride))
}
