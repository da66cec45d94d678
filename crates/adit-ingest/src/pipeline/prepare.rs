use std::ops::ControlFlow;
use std::path::Path;

use adit_catalog::NewVersion;
use adit_core::{
    AccessControl, ChunkError, Classified, Coverage, DocumentId, DocumentState, MediaType, Metadata,
    ParseError, ParsedDocument, PipelineStage, Principal, SourceFile, TenantId,
};

use super::Pipeline;
use super::expand::{Inside, UNREAD_INSIDE};
use super::known::KnownDocuments;
use super::reading::{WholeFile, read_whole};
use super::sidecar::{parse_sidecar, read_sidecar};
use crate::links::{FoundLinks, find_links};
use crate::{DocumentRights, IngestError, SIDECAR_ENDING, SourceItem};

/// One document ready for the model: everything but its vectors.
pub struct PreparedDocument {
    /// The version to commit; its `vectors` are still empty.
    pub version: NewVersion,
    /// What it points to.
    pub links: FoundLinks,
    /// Documents this one takes the place of under another id (its tenant has changed).
    pub supersedes: Vec<DocumentId>,
}

/// What looking at one file came to.
pub(super) enum Outcome {
    /// Nothing to do.
    Unchanged { source: String, state: DocumentState },
    /// To be embedded (when it has chunks) and committed.
    Ready(Box<PreparedDocument>),
    /// A file of the walk was found to hold one more document.
    FoundInside,
    /// A file of the walk is done that holds documents now or held some before.
    Emptied { source: String, inside: Inside },
}

/// Takes outcomes as they come; an error or a break ends the file.
pub(super) type Emit<'a> = dyn FnMut(Outcome) -> ControlFlow<()> + 'a;

/// Reads, compares, parses and cuts one file at a time.
pub(super) struct Preparer<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) known: &'a KnownDocuments,
}

/// A file that did not come through, with as much as is known of it.
pub(super) struct Setback {
    pub(super) state: DocumentState,
    pub(super) media_type: MediaType,
}

impl Setback {
    pub(super) fn failed(stage: PipelineStage, cause: String, hint: Option<String>) -> Self {
        Self { state: DocumentState::Failed { stage, cause, hint }, media_type: MediaType::Unknown }
    }

    /// Rights that are written in a way nobody understands.
    pub(super) fn rights(cause: String) -> Self {
        Self::failed(
            PipelineStage::Parse,
            cause,
            Some("write `acl: [name, name]` and `tenant: name`".to_owned()),
        )
    }

    pub(super) fn from_parse(error: &ParseError, media_type: MediaType) -> Self {
        let state = match error {
            ParseError::Empty | ParseError::Unsupported { .. } | ParseError::Container { .. } => {
                DocumentState::Skipped { reason: error.to_string() }
            }
            ParseError::NeedsOcr { .. } => {
                DocumentState::Skipped { reason: format!("{error}; {}", error.hint().unwrap_or_default()) }
            }
            _ => DocumentState::Failed {
                stage: PipelineStage::Parse,
                cause: error.to_string(),
                hint: error.hint(),
            },
        };
        Self { state, media_type }
    }
}

impl Preparer<'_> {
    /// Takes one file and the documents inside it as far as they come. Only errors of the whole run are
    /// errors here.
    pub(super) fn prepare(&self, item: &SourceItem, emit: &mut Emit<'_>) -> Result<(), IngestError> {
        let held_some = self.known.inside(&item.source).next().is_some();
        let (outcome, inside) = self.prepare_file(item, emit)?;
        // The container comes after what is in it: once it is committed, all of it is.
        let _ = emit(outcome);
        if held_some || inside != Inside::default() {
            let _ = emit(Outcome::Emptied { source: item.source.clone(), inside });
        }
        Ok(())
    }

    fn prepare_file(&self, item: &SourceItem, emit: &mut Emit<'_>) -> Result<(Outcome, Inside), IngestError> {
        let alone = |outcome| Ok((outcome, Inside::default()));
        let sidecar_text = read_sidecar(&item.path);
        let sidecar = sidecar_text.as_deref().map(parse_sidecar).transpose();
        let bytes = match self.read(item) {
            Ok(bytes) => bytes,
            Err(setback) => {
                let rights = sidecar.ok().and_then(|sidecar| self.rights_from_beside(item, sidecar.as_ref()));
                return alone(self.without_text(item, String::new(), setback, rights));
            }
        };
        let hash = self.content_hash(item, &bytes, sidecar_text.as_deref().unwrap_or_default());
        if let Some(known) = self.known.same_content(&item.source, &hash)
            && !matches!(known.state, DocumentState::Failed { .. })
            && self.emit_unchanged_inside(&item.source, emit)
        {
            let outcome = Outcome::Unchanged { source: item.source.clone(), state: known.state.clone() };
            return Ok((outcome, Inside::Unchanged));
        }
        let sidecar = match sidecar {
            Ok(sidecar) => sidecar,
            Err(cause) => {
                let hint = Some(format!("correct {}{SIDECAR_ENDING}", item.source));
                let setback = Setback::failed(PipelineStage::Read, cause, hint);
                return alone(self.without_text(item, hash, setback, None));
            }
        };
        let file = SourceFile { name: &item.source, bytes: &bytes };
        let (expanded, inside) = self.expand(item, file, sidecar.as_ref(), emit)?;
        let outcome = match expanded {
            Err(error) => {
                let setback = Setback::from_parse(&error, adit_parse::detect_media_type(file));
                self.without_text(item, hash, setback, self.rights_from_beside(item, sidecar.as_ref()))
            }
            Ok(container) => match self.parse(item, file, container.as_ref()) {
                Ok(parsed) => self.with_rights(item, file.bytes, hash, parsed, sidecar.as_ref())?,
                Err(setback) => {
                    let may_declare = may_declare_rights(setback.media_type) && !bytes.is_empty();
                    let rights = (!may_declare).then(|| self.rights_from_beside(item, sidecar.as_ref()));
                    self.without_text(item, hash, setback, rights.flatten())
                }
            },
        };
        Ok((outcome, inside))
    }

    fn with_rights(
        &self,
        item: &SourceItem,
        bytes: &[u8],
        hash: String,
        parsed: ParsedDocument,
        sidecar: Option<&Metadata>,
    ) -> Result<Outcome, IngestError> {
        match self.pipeline.rules.resolve(&item.source, &parsed.metadata, sidecar) {
            Ok(rights) => {
                let links = find_links(&item.source, parsed.media_type, bytes, &parsed.text);
                let mut outcome = self.cut(item, hash, parsed, rights)?;
                if let Outcome::Ready(document) = &mut outcome {
                    document.links = links;
                }
                Ok(outcome)
            }
            Err(cause) => {
                let setback = Setback { media_type: parsed.media_type, ..Setback::rights(cause) };
                Ok(self.without_text(item, hash, setback, None))
            }
        }
    }

    fn read(&self, item: &SourceItem) -> Result<Vec<u8>, Setback> {
        let limit_bytes = self.pipeline.max_file_bytes;
        match read_whole(&item.path, limit_bytes) {
            Ok(WholeFile::Bytes(bytes)) => Ok(bytes),
            Ok(WholeFile::TooLarge { size_bytes }) => {
                let error = ParseError::TooLarge { size_bytes, limit_bytes };
                Err(Setback::from_parse(&error, MediaType::Unknown))
            }
            Ok(WholeFile::Changing) => {
                let cause = "the file was changed each time it was read".to_owned();
                let hint = Some("run `adit index` again when nothing writes to it".to_owned());
                Err(Setback::failed(PipelineStage::Read, cause, hint))
            }
            Err(error) => {
                let hint = Some("check the file's permissions and run `adit index` again".to_owned());
                Err(Setback::failed(PipelineStage::Read, error.to_string(), hint))
            }
        }
    }

    /// Rights of a file that says nothing of itself: from the rules and the sidecar.
    pub(super) fn rights_from_beside(
        &self,
        item: &SourceItem,
        sidecar: Option<&Metadata>,
    ) -> Option<DocumentRights> {
        self.pipeline.rules.resolve(&item.source, &Metadata::new(), sidecar).ok()
    }

    pub(super) fn cut(
        &self,
        item: &SourceItem,
        hash: String,
        mut parsed: ParsedDocument,
        rights: DocumentRights,
    ) -> Result<Outcome, IngestError> {
        let title = parsed.title.clone().unwrap_or_else(|| file_stem(&item.source));
        parsed.title = Some(title.clone());
        let chunks = match self.pipeline.chunker.chunk(&parsed, self.pipeline.embedder.tokenizer()) {
            Ok(chunks) => chunks,
            Err(error @ ChunkError::Settings { .. }) => return Err(error.into()),
            Err(error) => {
                let mut setback = Setback::failed(PipelineStage::Chunk, error.to_string(), error.hint());
                setback.media_type = parsed.media_type;
                return Ok(self.without_text(item, hash, setback, Some(rights)));
            }
        };
        if chunks.is_empty() {
            let setback = Setback::from_parse(&ParseError::Empty, parsed.media_type);
            return Ok(self.without_text(item, hash, setback, Some(rights)));
        }
        let language = adit_lexical::detect_language(&parsed.text).to_owned();
        let state = state_of(&parsed.coverage);
        let version = NewVersion {
            id: DocumentId::derive(&rights.tenant, &item.source),
            tenant: rights.tenant,
            source: item.source.clone(),
            title,
            media_type: parsed.media_type,
            language,
            access: rights.access,
            metadata: rights.metadata,
            content_hash: hash,
            size_bytes: item.size_bytes,
            modified_unix_ms: item.modified_unix_ms,
            state,
            coverage: parsed.coverage,
            text: parsed.text,
            chunks,
            vectors: Vec::new(),
        };
        Ok(Outcome::Ready(Box::new(self.with_superseded(version))))
    }

    /// The version that stands for a file without searchable text. Its rights stay closed (nobody)
    /// where they are not known: even a file's name may be confidential.
    pub(super) fn without_text(
        &self,
        item: &SourceItem,
        hash: String,
        setback: Setback,
        rights: Option<DocumentRights>,
    ) -> Outcome {
        if let Some(known) = self.known.same_content(&item.source, &hash)
            && known.state == setback.state
        {
            return Outcome::Unchanged { source: item.source.clone(), state: setback.state };
        }
        let rights = rights.unwrap_or_else(|| self.closed_rights(&item.source));
        let version = NewVersion {
            id: DocumentId::derive(&rights.tenant, &item.source),
            tenant: rights.tenant,
            source: item.source.clone(),
            title: file_stem(&item.source),
            media_type: setback.media_type,
            language: "und".to_owned(),
            access: rights.access,
            metadata: rights.metadata,
            content_hash: hash,
            size_bytes: item.size_bytes,
            modified_unix_ms: item.modified_unix_ms,
            state: setback.state,
            coverage: Coverage { bytes_in: item.size_bytes, ..Coverage::default() },
            text: String::new(),
            chunks: Vec::new(),
            vectors: Vec::new(),
        };
        Outcome::Ready(Box::new(self.with_superseded(version)))
    }

    fn closed_rights(&self, source: &str) -> DocumentRights {
        let rule = self.pipeline.rules.matching(source);
        let tenant = rule.and_then(|rule| rule.tenant.as_deref()).and_then(|name| TenantId::new(name).ok());
        let principals = rule.and_then(|rule| rule.acl.clone()).unwrap_or_default();
        DocumentRights {
            tenant: tenant.unwrap_or_else(TenantId::default_tenant),
            access: AccessControl::Only(principals.into_iter().map(Principal).collect()),
            metadata: Metadata::new(),
        }
    }

    fn with_superseded(&self, version: NewVersion) -> PreparedDocument {
        let supersedes = self.known.others(&version.source, &version.id);
        PreparedDocument { version, links: FoundLinks::default(), supersedes }
    }

    /// Covers everything that decides what is committed: the bytes, the sidecar, the rule.
    pub(super) fn content_hash(&self, item: &SourceItem, bytes: &[u8], sidecar: &str) -> String {
        let rule = self.pipeline.rules.matching(&item.source);
        let rule = rule.map(|rule| format!("{:?} {:?}", rule.tenant, rule.acl)).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        for part in [bytes, sidecar.as_bytes(), rule.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Whether a file of this type can carry its own tenant and access control list.
fn may_declare_rights(media_type: MediaType) -> bool {
    matches!(media_type, MediaType::Markdown | MediaType::Html)
}

fn state_of(coverage: &Coverage) -> DocumentState {
    if let Some(reason) = coverage.warnings.iter().find(|warning| warning.starts_with(UNREAD_INSIDE)) {
        return DocumentState::Partial {
            reason: reason.clone(),
            missing_pages: coverage.pages_without_text.clone(),
        };
    }
    if coverage.pages_without_text.is_empty() {
        return DocumentState::Searchable;
    }
    DocumentState::Partial {
        reason: format!(
            "{} of {} pages have no text layer",
            coverage.pages_without_text.len(),
            coverage.pages_in
        ),
        missing_pages: coverage.pages_without_text.clone(),
    }
}

fn file_stem(source: &str) -> String {
    Path::new(source)
        .file_stem()
        .map_or_else(|| source.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
