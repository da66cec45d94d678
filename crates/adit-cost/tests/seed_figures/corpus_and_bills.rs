//! Sizes of corpora, and what whole systems cost.

use adit_cost::{
    SHARP_TOKENS, TOKENS_PER_PAGE, TOKENS_PER_WORD, Usage, chunk_count, corpus_room_tokens, cost_usd, pages,
    parsing_usd, tokens_usd,
};

use crate::{price, printed, significant};

#[test]
fn pages_and_the_room_for_a_corpus() {
    // A page: 1.3 · 550 = 715, printed and used as 700.
    assert_eq!(significant(TOKENS_PER_WORD * 550.0, 1), TOKENS_PER_PAGE);
    assert_eq!(significant(pages(1_000_000, TOKENS_PER_PAGE), 2), 1400.0);
    assert_eq!(significant(pages(corpus_room_tokens(1_000_000), TOKENS_PER_PAGE), 2), 190.0);
    assert_eq!(SHARP_TOKENS, 200_000);
    assert_eq!(corpus_room_tokens(128_000), 85_333, "a smaller window leaves less");
    // "750,000 words" in a window of a million follows neither from 1.3 tokens a word (769,000) nor from 1,400
    // pages of 550 words (770,000); it is 0.75 words a token, the other article's rule.
    assert_eq!(significant(1e6 / TOKENS_PER_WORD, 3), 769_000.0);
    assert_eq!(1400 * 550, 770_000);
    assert_eq!(30 * 1500, 45_000, "thirty turns of reply and reasoning");
}

#[test]
fn the_manual_in_chunks() {
    assert_eq!(printed(60_000.0 / 0.75, 0), "80000");
    assert_eq!(chunk_count(80_000, 400, 50), Some(229));
    assert_eq!(chunk_count(400, 400, 50), Some(1));
    assert_eq!(chunk_count(401, 400, 50), Some(2));
    assert_eq!(chunk_count(0, 400, 50), Some(0));
    assert_eq!(chunk_count(1, 50, 50), None);
    // Reranking 50 candidates reads 50 pairs of 20 and 400 tokens; five chunks add 2,000 to the prompt.
    assert_eq!(Usage::plain(20 + 400, 0).times(50).input_tokens, 21_000);
    assert_eq!(Usage::plain(400, 0).times(5).input_tokens, 2000);
}

#[test]
fn the_build_of_600m_tokens() {
    let corpus_tokens: u64 = 1_000_000 * 600;
    assert_eq!(corpus_tokens, 600_000_000);
    let page_count = pages(corpus_tokens, 750.0);
    assert_eq!(printed(page_count, 0), "800000");
    let self_hosted_usd = [0.20, 0.60].map(|usd| parsing_usd(page_count, usd));
    let bought_usd = [4.0, 16.0].map(|usd| parsing_usd(page_count, usd));
    assert_eq!(self_hosted_usd.map(|usd| printed(usd, 0)), ["160", "480"]);
    assert_eq!(bought_usd.map(|usd| printed(usd, 0)), ["3200", "12800"]);
    let contextual_usd = tokens_usd(corpus_tokens, 3.5);
    assert_eq!(printed(contextual_usd, 0), "2100");
    // The embedding line, $15 to $90 for ~700M tokens, names no price; it would be $0.02 to $0.13 a million.
    let embedding_usd = [15.0, 90.0];
    let totals = |parsing_usd: [f64; 2]| {
        [0, 1].map(|end| significant(parsing_usd[end] + contextual_usd + embedding_usd[end], 2))
    };
    assert_eq!(totals(self_hosted_usd), [2300.0, 2700.0]);
    assert_eq!(totals(bought_usd), [5300.0, 15_000.0]);
    // ~700M: a million chunks of 600 with a context of 70 are 670M.
    assert_eq!(significant((1_000_000 * (600 + 70)) as f64, 1), 700_000_000.0);
    // One page a second: "over 200 GPU-hours - nine days".
    assert_eq!(printed(page_count / 3600.0, 0), "222");
    assert_eq!(printed(page_count / 86_400.0, 0), "9");
}

#[test]
fn one_query_of_the_build() {
    let generation_usd = cost_usd(&Usage::plain(7200, 500), &price("claude-opus-4-5"));
    assert_eq!(printed(generation_usd, 3), "0.049");
    let rest_usd = [0.001, 0.002].map(|rerank_usd| rerank_usd + 0.000_01);
    for rest_usd in rest_usd {
        assert_eq!(printed(generation_usd + rest_usd, 2), "0.05");
    }
    // "about 97%": the middle of 96% and 98%.
    let shares = rest_usd.map(|rest_usd| printed(generation_usd / (generation_usd + rest_usd) * 100.0, 0));
    assert_eq!(shares, ["98", "96"]);
    let middle_usd = 0.0015 + 0.000_01;
    assert_eq!(printed(generation_usd / (generation_usd + middle_usd) * 100.0, 0), "97");
    assert_eq!(significant(200_000.0 * (generation_usd + middle_usd), 2), 10_000.0);
    // The index is $100-300 of it: "a percent or two", up to three.
    assert_eq!([100.0, 300.0].map(|usd| printed(usd / 10_000.0 * 100.0, 0)), ["1", "3"]);
}
