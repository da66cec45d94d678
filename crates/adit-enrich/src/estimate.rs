use adit_cost::{ChunkOrder, CostError, DocumentSize, EnrichmentPlan, Estimate, Price};

use crate::{DocumentToEnrich, EnrichKind};

/// Bytes a token stands for, on the careful side: English has about four.
const BYTES_PER_TOKEN: u64 = 3;

/// Tokens of `text`, estimated from its bytes, since the provider's tokenizer is not ours.
#[must_use]
pub fn estimated_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES_PER_TOKEN)
}

/// Calls, tokens and US dollars for all chunks of `documents`, as if none had an answer yet: an upper bound for
/// a run that resumes. Every answer is taken to be as long as allowed.
///
/// # Errors
/// As [`EnrichmentPlan::estimate`].
pub fn estimate(
    documents: &[DocumentToEnrich],
    kind: EnrichKind,
    price: &Price,
) -> Result<Estimate, CostError> {
    let sizes: Vec<DocumentSize> = documents
        .iter()
        .map(|document| DocumentSize {
            document_tokens: estimated_tokens(&document.text),
            chunks: document.chunks.len() as u64,
            chunk_tokens: document.chunks.iter().map(|chunk| estimated_tokens(chunk)).sum(),
        })
        .collect();
    let plan = EnrichmentPlan {
        instruction_tokens: estimated_tokens(kind.system()) + estimated_tokens(kind.instruction()),
        output_tokens_per_chunk: kind.max_output_tokens() as u64,
        order: ChunkOrder::BackToBack,
    };
    plan.estimate(&sizes, price, None)
}
