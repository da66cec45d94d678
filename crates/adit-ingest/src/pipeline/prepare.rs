use std::io::Read;
use std::path::Path;

use adit_catalog::NewVersion;
use adit_core::{
    AccessControl, ChunkError, Classified, Coverage, DocumentId, DocumentState, MediaType, Metadata,
    MetadataValue, ParseError, ParsedDocument, PipelineStage, Principal, SourceFile, TenantId,
};

use super::Pipeline;
use super::known::KnownDocuments;
use crate::links::{FoundLinks, find_links};
use crate::{DocumentRights, IngestError, SIDECAR_ENDING, SourceItem};

/// More than any sidecar needs.
const SIDECAR_LIMIT_BYTES: u64 = 64 * 1024;

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
}

/// Reads, compares, parses and cuts one file at a time.
pub(super) struct Preparer<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) known: &'a KnownDocuments,
}

/// A file that did not come through, with as much as is known of it.
struct Setback {
    state: DocumentState,
    media_type: MediaType,
}

impl Setback {
    fn failed(stage: PipelineStage, cause: String, hint: Option<String>) -> Self {
        Self { state: DocumentState::Failed { stage, cause, hint }, media_type: MediaType::Unknown }
    }

    fn from_parse(error: &ParseError, media_type: MediaType) -> Self {
        let state = match error {
            ParseError::Empty | ParseError::Unsupported { .. } => {
                DocumentState::Skipped { reason: error.to_string() }
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
    /// Takes one file as far as it comes. Only errors of the whole run are errors here.
    pub(super) fn prepare(&self, item: &SourceItem) -> Result<Outcome, IngestError> {
        let sidecar_text = read_sidecar(&item.path);
        let sidecar = sidecar_text.as_deref().map(parse_sidecar).transpose();
        let bytes = match self.read(item) {
            Ok(bytes) => bytes,
            Err(setback) => {
                let rights = sidecar.ok().and_then(|sidecar| self.rights_from_beside(item, sidecar.as_ref()));
                return Ok(self.without_text(item, String::new(), setback, rights));
            }
        };
        let hash = self.content_hash(item, &bytes, sidecar_text.as_deref().unwrap_or_default());
        if let Some(known) = self.known.same_content(&item.source, &hash)
            && !matches!(known.state, DocumentState::Failed { .. })
        {
            return Ok(Outcome::Unchanged { source: item.source.clone(), state: known.state.clone() });
        }
        let sidecar = match sidecar {
            Ok(sidecar) => sidecar,
            Err(cause) => {
                let hint = Some(format!("correct {}{SIDECAR_ENDING}", item.source));
                let setback = Setback::failed(PipelineStage::Read, cause, hint);
                return Ok(self.without_text(item, hash, setback, None));
            }
        };
        let file = SourceFile { name: &item.source, bytes: &bytes };
        let parsed = match self.pipeline.parser.parse(file) {
            Ok(parsed) => parsed,
            Err(error) => {
                let media_type = adit_parse::detect_media_type(file);
                let rights = if may_declare_rights(media_type) && error != ParseError::Empty {
                    None
                } else {
                    self.rights_from_beside(item, sidecar.as_ref())
                };
                return Ok(self.without_text(item, hash, Setback::from_parse(&error, media_type), rights));
            }
        };
        match self.pipeline.rules.resolve(&item.source, &parsed.metadata, sidecar.as_ref()) {
            Ok(rights) => {
                let links = find_links(&item.source, parsed.media_type, &bytes, &parsed.text);
                let mut outcome = self.cut(item, hash, parsed, rights)?;
                if let Outcome::Ready(document) = &mut outcome {
                    document.links = links;
                }
                Ok(outcome)
            }
            Err(cause) => {
                let hint = Some("write `acl: [name, name]` and `tenant: name`".to_owned());
                let setback = Setback {
                    state: DocumentState::Failed { stage: PipelineStage::Parse, cause, hint },
                    media_type: parsed.media_type,
                };
                Ok(self.without_text(item, hash, setback, None))
            }
        }
    }

    fn read(&self, item: &SourceItem) -> Result<Vec<u8>, Setback> {
        let limit_bytes = self.pipeline.max_file_bytes;
        match read_bounded(&item.path, limit_bytes) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => {
                let error = ParseError::TooLarge { size_bytes: item.size_bytes, limit_bytes };
                Err(Setback::from_parse(&error, MediaType::Unknown))
            }
            Err(error) => {
                let hint = Some("check the file's permissions and run `adit index` again".to_owned());
                Err(Setback::failed(PipelineStage::Read, error.to_string(), hint))
            }
        }
    }

    /// Rights of a file that says nothing of itself: from the rules and the sidecar.
    fn rights_from_beside(&self, item: &SourceItem, sidecar: Option<&Metadata>) -> Option<DocumentRights> {
        self.pipeline.rules.resolve(&item.source, &Metadata::new(), sidecar).ok()
    }

    fn cut(
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
    fn without_text(
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
    fn content_hash(&self, item: &SourceItem, bytes: &[u8], sidecar: &str) -> String {
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

/// All bytes, or `None` when there are more than `limit_bytes` (the size is checked while reading:
/// a file may grow).
fn read_bounded(path: &Path, limit_bytes: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit_bytes).then_some(bytes))
}

fn read_sidecar(path: &Path) -> Option<String> {
    let mut name = path.as_os_str().to_owned();
    name.push(SIDECAR_ENDING);
    let bytes = match read_bounded(Path::new(&name), SIDECAR_LIMIT_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        // Unreadable or oversized is not absent: a text that no YAML reader accepts fails the document.
        Err(_) | Ok(None) => return Some("{".to_owned()),
        Ok(Some(bytes)) => bytes,
    };
    Some(String::from_utf8(bytes).unwrap_or_else(|_| "{".to_owned()))
}

fn parse_sidecar(text: &str) -> Result<Metadata, String> {
    let value: serde_yaml_ng::Value =
        serde_yaml_ng::from_str(text).map_err(|error| format!("the sidecar is not valid YAML: {error}"))?;
    let serde_yaml_ng::Value::Mapping(mapping) = value else {
        return Err("the sidecar is not a list of `key: value` lines".to_owned());
    };
    let mut metadata = Metadata::new();
    for (key, value) in mapping {
        let Some(key) = key.as_str() else {
            return Err("a key of the sidecar is not text".to_owned());
        };
        let values = match value {
            serde_yaml_ng::Value::Sequence(values) => values,
            value => vec![value],
        };
        let values = values.iter().map(|value| scalar(key, value)).collect::<Result<_, _>>()?;
        metadata.insert(key.to_owned(), values);
    }
    Ok(metadata)
}

fn scalar(key: &str, value: &serde_yaml_ng::Value) -> Result<MetadataValue, String> {
    match value {
        serde_yaml_ng::Value::Bool(value) => Ok(MetadataValue::Bool(*value)),
        serde_yaml_ng::Value::Number(value) => {
            Ok(value.as_f64().map_or_else(|| MetadataValue::Text(value.to_string()), MetadataValue::Number))
        }
        serde_yaml_ng::Value::String(value) => Ok(MetadataValue::Text(value.clone())),
        _ => Err(format!("`{key}` in the sidecar is neither a value nor a list of values")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_gives_lists_and_values_and_anything_else_is_refused() {
        let metadata = parse_sidecar("acl: [payroll, hr]\nyear: 2024\nteam: ops\n").unwrap();
        assert_eq!(metadata["acl"].len(), 2);
        assert_eq!(metadata["year"], [MetadataValue::Number(2024.0)]);
        for bad in ["{", "- a\n- b\n", "acl: {a: b}\n", "acl: null\n"] {
            assert!(parse_sidecar(bad).is_err(), "{bad:?} must be refused");
        }
    }

    #[test]
    fn a_file_above_the_limit_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs_err::write(&path, "12345").unwrap();
        assert_eq!(read_bounded(&path, 4).unwrap(), None);
        assert_eq!(read_bounded(&path, 5).unwrap().unwrap(), b"12345");
    }
}
