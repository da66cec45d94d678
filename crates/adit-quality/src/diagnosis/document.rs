//! The version that is indexed, its chunks, and who may see it.

use adit_catalog::StoredChunk;
use adit_core::{AccessControl, IndexSnapshot};

use super::Case;
use super::report::{Diagnosis, Findings, Stage};
use super::text::ExpectedPlace;

impl Case<'_> {
    /// Is the document's version in the snapshot that answered?
    pub(super) fn check_version(&self, place: &ExpectedPlace, findings: &mut Findings) -> Option<Diagnosis> {
        let (record, snapshot) = (&place.record, self.snapshot);
        if record.chunk_count > 0 && snapshot.chunk_span_of(&record.id).is_none()
            || record.sequence > snapshot.sequence()
        {
            let evidence = format!(
                "{} was committed as change {}, the published snapshot holds {}",
                record.source,
                record.sequence,
                snapshot.sequence()
            );
            findings.add("version", false, evidence);
            return Some(findings.blame(
                Stage::Version,
                "the published snapshot is behind the catalog",
                "run the search again, or `adit rebuild` if that does not help",
            ));
        }
        if let Some(embedder) = self.retriever.embedder()
            && *embedder.description() != snapshot.fingerprint().embedder
        {
            findings.add("version", false, format!("the index was made with {}", snapshot.fingerprint()));
            return Some(findings.blame(
                Stage::Version,
                "questions are embedded otherwise than the documents were",
                "set the model back in adit.toml, or run `adit index --reindex`",
            ));
        }
        findings.add(
            "version",
            true,
            format!("version {} of {} is published", record.version, record.source),
        );
        None
    }

    /// Does one chunk hold the words together?
    pub(super) fn check_chunks(
        &self,
        place: &ExpectedPlace,
        chunks: &[StoredChunk],
        findings: &mut Findings,
    ) -> Result<Vec<StoredChunk>, Box<Diagnosis>> {
        let whole: Vec<StoredChunk> =
            chunks.iter().filter(|stored| stored.chunk.range.contains(place.range)).cloned().collect();
        if !whole.is_empty() {
            let numbers: Vec<String> = whole.iter().map(|stored| stored.chunk.index.to_string()).collect();
            findings.add("chunk", true, format!("chunk {} holds the words whole", numbers.join(", ")));
            return Ok(whole);
        }
        let parts: Vec<&StoredChunk> =
            chunks.iter().filter(|stored| stored.chunk.range.overlaps(place.range)).collect();
        let longest = parts.iter().map(|stored| stored.chunk.range.len()).max().unwrap_or(0);
        let (evidence, reason, remedy) = if parts.is_empty() {
            (
                format!("no chunk of {} covers the words", place.record.source),
                "the chunker left this part of the document out".to_owned(),
                "this is a defect of adit; please report it with the file",
            )
        } else if longest < place.range.len() {
            (
                format!("the words are {} bytes long, the chunks there up to {longest}", place.range.len()),
                "the words are longer than a chunk and were torn apart".to_owned(),
                "expect a shorter quote, or raise chunk.size_tokens in adit.toml and index again",
            )
        } else {
            (
                format!("the words are spread over {} chunks", parts.len()),
                "the words were torn apart between two chunks".to_owned(),
                "raise chunk.overlap_tokens or chunk.size_tokens in adit.toml and index again",
            )
        };
        findings.add("chunk", false, evidence);
        Err(Box::new(findings.blame(Stage::Chunker, reason, remedy)))
    }

    /// May the reader see it, and does the filter let it through?
    pub(super) fn check_scope(&self, place: &ExpectedPlace, findings: &mut Findings) -> Option<Diagnosis> {
        let (record, search) = (&place.record, &self.request.search);
        if !search.scope.permits(&record.tenant, &record.access) {
            let (evidence, remedy) = if record.tenant != *search.scope.tenant() {
                let evidence = format!("{} belongs to the tenant {}", record.source, record.tenant);
                (evidence, format!("ask as that tenant: --tenant {}", record.tenant))
            } else {
                match &record.access {
                    AccessControl::Only(principals) if principals.is_empty() => (
                        format!("the list of {} is empty: nobody may read it", record.source),
                        "name somebody in its access list and index again".to_owned(),
                    ),
                    AccessControl::Only(principals) => {
                        let names: Vec<String> = principals.iter().map(|one| one.0.clone()).collect();
                        let evidence = format!("{} is for {} only", record.source, names.join(", "));
                        (
                            evidence,
                            "ask as one of them (--as), or change the document's access list".to_owned(),
                        )
                    }
                    AccessControl::Tenant => (record.source.clone(), "ask inside the tenant".to_owned()),
                }
            };
            findings.add("scope", false, evidence);
            return Some(findings.blame(Stage::Scope, "the reader may not see the document", remedy));
        }
        let entry_is_filtered = self
            .first_chunk(place)
            .is_some_and(|chunk| !self.snapshot.is_allowed(search.scope, search.filter, chunk));
        if entry_is_filtered {
            findings.add("scope", false, format!("the filter of the question leaves {} out", record.source));
            return Some(findings.blame(
                Stage::Scope,
                "the filter excludes the document",
                "ask without the filter, or correct the document's metadata",
            ));
        }
        findings.add(
            "scope",
            true,
            "the reader may see the document and the filter lets it through".to_owned(),
        );
        None
    }

    fn first_chunk(&self, place: &ExpectedPlace) -> Option<adit_core::ChunkId> {
        self.snapshot.chunk_span_of(&place.record.id).map(|span| span.first)
    }
}
