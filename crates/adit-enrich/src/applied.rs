use adit_core::Chunk;

/// What the retrievers see of an enriched chunk: the enrichment, an empty line, then `indexed` as it was. The
/// chunk's `display` is the document's own words and stays so. The caller counts tokens anew and must keep the
/// result within the embedder's limit.
#[must_use]
pub fn enriched_indexed(chunk: &Chunk, enrichment: &str) -> String {
    let enrichment = enrichment.trim();
    if enrichment.is_empty() { chunk.indexed.clone() } else { format!("{enrichment}\n\n{}", chunk.indexed) }
}
