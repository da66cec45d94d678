//! What one model call a chunk costs at indexing time.

use adit_cost::{ChunkOrder, DocumentSize, EnrichmentPlan, cost_usd, tokens_usd};

use crate::{price, printed, significant};

const PLAN: EnrichmentPlan =
    EnrichmentPlan { instruction_tokens: 0, output_tokens_per_chunk: 70, order: ChunkOrder::BackToBack };

/// The article's document. It bills neither the chunk, which stands in every prompt once more, nor the
/// instructions, so both are zero here; the next test bills them.
const DOCUMENT: DocumentSize = DocumentSize { document_tokens: 10_000, chunks: 17, chunk_tokens: 0 };

#[test]
fn a_document_of_10k_tokens_in_17_chunks() {
    let haiku = price("claude-haiku-4-5");
    let usage = PLAN.usage(&DOCUMENT, &haiku);
    assert_eq!(usage.cache_write_tokens, 10_000);
    assert_eq!(usage.cached_input_tokens, 160_000);
    assert_eq!(usage.output_tokens, 1190);
    let lines = [
        printed(tokens_usd(usage.cache_write_tokens, haiku.write_rate()), 4),
        printed(tokens_usd(usage.cached_input_tokens, haiku.read_rate()), 4),
        printed(tokens_usd(usage.output_tokens, haiku.output_usd_per_million), 4),
    ];
    assert_eq!(lines, ["0.0125", "0.0160", "0.0060"]);
    // The printed total, 0.035, is the sum of the printed lines (0.0345) rounded up; the lines unrounded make
    // 0.03445, which is 0.034.
    let of_lines: f64 = lines.iter().map(|line| line.parse::<f64>().unwrap()).sum();
    assert_eq!(printed(of_lines, 3), "0.035");
    assert_eq!(printed(cost_usd(&usage, &haiku), 5), "0.03445");
}

#[test]
fn per_million_tokens_of_corpus() {
    let haiku = price("claude-haiku-4-5");
    let per_million_usd = cost_usd(&PLAN.usage(&DOCUMENT, &haiku), &haiku) * 100.0;
    // "about $3.50": the printed total times a hundred. Unrounded it is $3.445.
    assert_eq!(printed(0.035 * 100.0, 2), "3.50");
    assert_eq!(printed(per_million_usd, 3), "3.445");
    // With the printed rate: $350 for 100M tokens, $2,100 for 600M.
    assert_eq!(printed(100.0 * 3.5, 0), "350");
    assert_eq!(printed(600.0 * 3.5, 0), "2100");
    let estimate = PLAN.estimate(&[DOCUMENT; 10_000], &haiku, None).unwrap();
    assert_eq!(estimate.calls, 170_000);
    assert_eq!(significant(estimate.cost_usd, 2), 340.0, "100M tokens at the unrounded rate: $344.50");
}

#[test]
fn what_the_article_leaves_out() {
    // Each prompt also holds its chunk (17 of about 600 tokens) and some 100 tokens of instructions, at the
    // full rate of $1: a third on top. An estimate without them would be off by more than the 5% allowed.
    let haiku = price("claude-haiku-4-5");
    let plan = EnrichmentPlan { instruction_tokens: 100, ..PLAN };
    let document = DocumentSize { chunk_tokens: 17 * 600, ..DOCUMENT };
    let usd = cost_usd(&plan.usage(&document, &haiku), &haiku);
    assert_eq!(printed(usd, 5), "0.04635");
    assert_eq!(printed(usd / 0.03445, 2), "1.35");
}

#[test]
fn interleaving_documents_sextuples_the_bill() {
    let haiku = price("claude-haiku-4-5");
    assert_eq!(printed(haiku.write_rate() / haiku.read_rate(), 1), "12.5");
    let interleaved = EnrichmentPlan { order: ChunkOrder::Interleaved, ..PLAN };
    let ratio = cost_usd(&interleaved.usage(&DOCUMENT, &haiku), &haiku)
        / cost_usd(&PLAN.usage(&DOCUMENT, &haiku), &haiku);
    assert_eq!(printed(ratio, 0), "6");
}

#[test]
fn contextual_chunking_against_parsing() {
    // $2,200 per million documents on a $12,000 parsing bill; neither is derived in the article.
    assert_eq!(printed(2200.0 / 12_000.0 * 100.0, 0), "18");
    // A knowledge graph of a children's book for $0.06 against $0.006 for its vectors: ten times.
    assert_eq!(printed(0.06 / 0.006, 0), "10");
}

#[test]
fn one_call_a_chunk_of_the_manual() {
    let haiku = price("claude-haiku-4-5");
    let manual = DocumentSize { document_tokens: 80_000, chunks: 229, chunk_tokens: 228 * 400 + 200 };
    assert_eq!(PLAN.estimate(&[manual], &haiku, None).unwrap().calls, 229);
}
