//! Three articles on reading everything instead of retrieving.

use adit_cost::{
    LongContext, Usage, Workload, attention_ratio, break_even_corpus_tokens, cost_usd, format_usd,
    kv_cache_gigabytes, prefill_seconds, tokens_usd,
};

use crate::{price, printed};

/// The agentic chapter's corpus of 100,000 tokens. It counts question and answer but no instructions, while
/// the classic query it is held against carries 1,000 tokens of them.
const SMALL: LongContext = LongContext { corpus_tokens: 100_000, uncached_tokens: 50, answer_tokens: 400 };

#[test]
fn a_corpus_of_100k_cached() {
    let sonnet = price("claude-sonnet-5");
    assert_eq!(printed(tokens_usd(100_000, sonnet.input_usd_per_million), 2), "0.30");
    assert_eq!(printed(tokens_usd(100_000, sonnet.read_rate()), 2), "0.03");
    assert_eq!(printed(tokens_usd(50, 3.0), 5), "0.00015");
    assert_eq!(printed(tokens_usd(400, 15.0), 3), "0.006");
    let cached_usd = SMALL.cached_usd(0.0, &sonnet).unwrap();
    assert_eq!(printed(cached_usd, 5), "0.03615");
    let classic_usd = cost_usd(&Workload::default().classic(), &sonnet);
    assert_eq!(printed(cached_usd / classic_usd, 1), "2.2");
    // "the couple of cents a query buys you the deletion of a chunker"
    assert_eq!(printed((cached_usd - classic_usd) * 100.0, 0), "2");
}

#[test]
fn break_even_at_35k_tokens() {
    let sonnet = price("claude-sonnet-5");
    let classic_usd = cost_usd(&Workload::default().classic(), &sonnet);
    let rest_usd = cost_usd(&Usage::plain(50, 400), &sonnet);
    assert_eq!(printed(classic_usd - rest_usd, 5), "0.01050");
    assert_eq!(printed(sonnet.read_rate() / 1e6, 7), "0.0000003");
    let tokens = break_even_corpus_tokens(classic_usd, rest_usd, sonnet.read_rate()).unwrap();
    assert_eq!(printed(tokens, 0), "35000");
    // Not in the article: with the same 1,000 tokens of instructions on both sides it is 25,000.
    let fair_usd = cost_usd(&Workload::default().without_retrieval(), &sonnet);
    let fair_tokens = break_even_corpus_tokens(classic_usd, fair_usd, sonnet.read_rate()).unwrap();
    assert_eq!(printed(fair_tokens, 0), "25000");
}

#[test]
fn a_corpus_of_200k_written_and_read() {
    let opus = price("claude-opus-4-5");
    let usd = |usage: Usage| printed(cost_usd(&usage, &opus), 2);
    let corpus = LongContext { corpus_tokens: 200_000, uncached_tokens: 0, answer_tokens: 0 };
    assert_eq!(usd(corpus.plain()), "1.00");
    assert_eq!(usd(corpus.writing()), "1.25");
    assert_eq!(usd(corpus.reading()), "0.10");
    assert_eq!(printed(opus.write_rate() / opus.input_usd_per_million, 2), "1.25");
    assert_eq!(printed(opus.read_rate() / opus.input_usd_per_million, 1), "0.1");
}

#[test]
fn crossover_at_72k_tokens() {
    let opus = price("claude-opus-4-5");
    let chunks = Usage::plain(12 * 600, 0);
    assert_eq!(chunks.input_tokens, 7200);
    let retrieval_usd = cost_usd(&chunks, &opus);
    assert_eq!(printed(retrieval_usd, 3), "0.036");
    assert_eq!(printed(opus.read_rate(), 2), "0.50");
    let tokens = break_even_corpus_tokens(retrieval_usd, 0.0, opus.read_rate()).unwrap();
    assert_eq!(printed(tokens, 0), "72000");
}

#[test]
fn ten_queries_an_hour_invert_the_economics() {
    let opus = price("claude-opus-4-5");
    let corpus = LongContext { corpus_tokens: 200_000, uncached_tokens: 0, answer_tokens: 0 };
    let retrieval_usd = 0.036;
    // One write of $1.25 over ten queries: the write's part alone is dearer than retrieving.
    assert!(cost_usd(&corpus.writing(), &opus) / 10.0 > retrieval_usd);
    let amortised_usd = corpus.amortised_usd(10.0, &opus).unwrap();
    assert_eq!(printed(amortised_usd, 3), "0.215", "(1.25 + 9 · 0.10) / 10");
    // The text names the five-minute lifetime, with which one write does not last an hour: at ten an hour,
    // evenly spaced, a query comes every six minutes and each pays the write. One write for ten holds for a
    // burst, or for the one-hour lifetime, whose premium the article does not state.
    let spaced_usd = corpus.amortised_usd(1.0, &opus).unwrap();
    assert_eq!(printed(spaced_usd, 2), "1.25");
    assert!(corpus.amortised_usd(0.5, &opus).is_err());
    assert!(corpus.amortised_usd(f64::NAN, &opus).is_err());
    assert_eq!(printed(corpus.amortised_usd(f64::INFINITY, &opus).unwrap(), 2), "0.10");
}

#[test]
fn the_whole_manual_against_five_chunks() {
    // The article's price is its own and made up: $3 per million, input only.
    let manual_tokens: u64 = 80_000 + 300;
    let chunks_tokens: u64 = 5 * 400 + 300;
    assert_eq!((manual_tokens, chunks_tokens), (80_300, 2300));
    let month = |tokens: u64| Usage::plain(tokens, 0).times(20_000).input_tokens;
    assert_eq!(month(manual_tokens), 1_606_000_000);
    assert_eq!(month(chunks_tokens), 46_000_000);
    assert_eq!(format_usd(tokens_usd(month(manual_tokens), 3.0)), "$4,818");
    assert_eq!(printed(tokens_usd(month(chunks_tokens), 3.0), 0), "138");

    assert_eq!(printed(prefill_seconds(manual_tokens, 0.028), 1), "2.2");
    assert_eq!(printed(prefill_seconds(chunks_tokens, 0.028), 2), "0.06");
    // The row's heading says 0.13 MB a token, the computation 0.131; with 0.13 the first would be 10.4.
    assert_eq!(printed(kv_cache_gigabytes(manual_tokens, 0.131), 1), "10.5");
    assert_eq!(printed(kv_cache_gigabytes(chunks_tokens, 0.131), 2), "0.30");

    let ratio = manual_tokens as f64 / chunks_tokens as f64;
    assert_eq!(printed(ratio, 1), "34.9");
    assert_eq!(printed(ratio, 0), "35");
    assert_eq!(printed(ratio, 2), "34.91");
    assert_eq!(printed(attention_ratio(manual_tokens, chunks_tokens), 0), "1219");
}
