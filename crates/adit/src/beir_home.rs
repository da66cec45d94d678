//! A labelled set as an index: in a temporary home, or in a folder that is kept.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion, TextKey};
use adit_chunk::{ChunkSettings, chunker_by_name};
use adit_core::{
    AccessControl, Block, BlockKind, Chunk, Chunker, Coverage, DocumentId, DocumentState, Embedder,
    Fingerprint, MediaType, Metadata, ParsedDocument, TenantId, TextRange, Tokenizer,
};
use adit_eval::{BeirDocument, BeirSet};
use adit_index::{IndexOptions, SearchIndex};
use adit_ingest::TokenCoder;
use adit_retrieve::Retriever;
use adit_token_vector::CodeBits;

use crate::arguments::{ChunkArgument, EvalBeirArguments, PrecisionArgument};
use crate::engine::{fingerprint, load_embedder};
use crate::failure::Failure;
use crate::output::note;

/// Documents embedded together.
const BATCH_DOCUMENTS: usize = 256;
/// Setting of a kept home that says what it holds, written when it is complete.
const COMPLETE: &str = "labelled_set";

/// A labelled set, ready to be asked.
pub(crate) struct BeirHome {
    pub(crate) retriever: Retriever,
    /// The set's own id of each document.
    pub(crate) set_ids: HashMap<DocumentId, String>,
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
    /// Whole documents of which only the beginning fits the model's window.
    pub(crate) documents_beyond_window: usize,
    /// Removes a temporary home when it is dropped.
    _temporary: Option<tempfile::TempDir>,
}

/// How a set's documents become chunks.
enum Cutter {
    /// One chunk a document; words beyond the window are searched lexically but not embedded, as the
    /// published figures of sentence encoders are made.
    Whole,
    Chunker(Box<dyn Chunker>),
}

impl Cutter {
    fn new(argument: ChunkArgument) -> Result<Self, Failure> {
        let name = match argument {
            ChunkArgument::None => return Ok(Self::Whole),
            ChunkArgument::Structure => "structure",
            ChunkArgument::Fixed => "fixed",
        };
        Ok(Self::Chunker(chunker_by_name(name, ChunkSettings::default())?))
    }

    fn fingerprint(&self, embedder: &dyn Embedder) -> Result<Fingerprint, Failure> {
        let named = match self {
            Self::Whole => fingerprint(embedder, chunker_by_name("none", ChunkSettings::default())?.as_ref()),
            Self::Chunker(chunker) => return Ok(fingerprint(embedder, chunker.as_ref())),
        };
        Ok(Fingerprint { chunker: format!("{} cut to the window", named.chunker), ..named })
    }
}

/// Indexes `set`, or takes the kept index of an earlier call with the same arguments.
pub(crate) fn open_beir_home(set: &BeirSet, arguments: &EvalBeirArguments) -> Result<BeirHome, Failure> {
    let precision = match arguments.precision {
        PrecisionArgument::F32 => "f32",
        PrecisionArgument::Int8 => "int8",
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let embedder = load_embedder(&arguments.model, precision, threads)?;
    let temporary = match &arguments.keep {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|error| Failure::world(error.to_string()))?),
    };
    let folder = arguments.keep.as_deref().or(temporary.as_ref().map(tempfile::TempDir::path));
    let folder = folder.unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder).map_err(|error| Failure::world(error.to_string()))?;
    let cutter = Cutter::new(arguments.chunk)?;
    let wanted = cutter.fingerprint(&embedder)?;
    let catalog = Arc::new(Catalog::create_or_open(&folder.join("catalog.db"))?);
    let set_name = arguments.folder.display().to_string();
    let complete = catalog.setting(COMPLETE)?.is_some_and(|kept| kept == set_name);
    if complete {
        catalog.set_fingerprint(&wanted)?;
    } else {
        catalog.reset_for_fingerprint(&wanted)?;
    }
    let bits = if arguments.code_bits == 8 { CodeBits::Eight } else { CodeBits::One };
    let coder = TokenCoder::start(&catalog, &embedder, bits, arguments.pooling)?;
    let options = IndexOptions { fingerprint: Some(wanted), ..IndexOptions::default() };
    let index = Arc::new(SearchIndex::open_writer(&folder.join("index"), Arc::clone(&catalog), options)?);
    let mut filler =
        Filler { catalog: &catalog, embedder: &embedder, coder, cutter, counts: Counts::default() };
    filler.fill(set, complete)?;
    let counts = filler.counts;
    if !complete {
        index.catch_up()?;
        index.wait_for_merges()?;
        catalog.set_setting(COMPLETE, &set_name)?;
    }
    let embedder: Arc<dyn Embedder> = Arc::new(embedder);
    Ok(BeirHome {
        retriever: Retriever::new(index, catalog, Some(embedder)),
        set_ids: counts.set_ids,
        documents: counts.documents,
        chunks: counts.chunks,
        documents_beyond_window: counts.beyond_window,
        _temporary: temporary,
    })
}

#[derive(Default)]
struct Counts {
    set_ids: HashMap<DocumentId, String>,
    documents: usize,
    chunks: usize,
    beyond_window: usize,
}

struct Filler<'a> {
    catalog: &'a Catalog,
    embedder: &'a dyn Embedder,
    coder: Option<TokenCoder>,
    cutter: Cutter,
    counts: Counts,
}

impl Filler<'_> {
    /// Goes through the set's documents; only counts them when they are in the catalog already.
    fn fill(&mut self, set: &BeirSet, only_count: bool) -> Result<(), Failure> {
        let mut waiting = Vec::new();
        let mut problem = None;
        set.for_each_document(&mut |document| {
            if problem.is_some() {
                return;
            }
            match self.prepare(&document) {
                Ok(version) => waiting.push(version),
                Err(failure) => problem = Some(failure),
            }
            if waiting.len() >= BATCH_DOCUMENTS {
                let batch = std::mem::take(&mut waiting);
                problem = self.commit(batch, only_count).err();
            }
        })?;
        if let Some(failure) = problem {
            return Err(failure);
        }
        self.commit(waiting, only_count)
    }

    fn prepare(&mut self, document: &BeirDocument) -> Result<NewVersion, Failure> {
        let tenant = TenantId::default_tenant();
        let id = DocumentId::derive(&tenant, &document.id);
        self.counts.set_ids.insert(id.clone(), document.id.clone());
        self.counts.documents += 1;
        let parsed = parsed(document);
        let chunks = match &self.cutter {
            Cutter::Whole => vec![whole(&parsed, self.embedder.tokenizer())?],
            Cutter::Chunker(chunker) => chunker.chunk(&parsed, self.embedder.tokenizer())?,
        };
        self.counts.chunks += chunks.len();
        Ok(NewVersion {
            id,
            tenant,
            source: document.id.clone(),
            title: document.title.clone(),
            media_type: MediaType::PlainText,
            language: adit_lexical::detect_language(&parsed.text).to_owned(),
            access: AccessControl::Tenant,
            metadata: Metadata::new(),
            content_hash: String::new(),
            size_bytes: parsed.text.len() as u64,
            modified_unix_ms: None,
            state: DocumentState::Searchable,
            coverage: Coverage::default(),
            text: parsed.text,
            chunks,
            vectors: Vec::new(),
        })
    }

    fn commit(&mut self, mut batch: Vec<NewVersion>, only_count: bool) -> Result<(), Failure> {
        let tokenizer = self.embedder.tokenizer();
        let mut texts = Vec::new();
        for version in &batch {
            for chunk in &version.chunks {
                let text = within_window(&chunk.indexed, tokenizer)?;
                if text.len() < chunk.indexed.len() {
                    self.counts.beyond_window += 1;
                }
                texts.push(text);
            }
        }
        if only_count {
            return Ok(());
        }
        let mut vectors = match &self.coder {
            None => self.embedder.embed_documents(&texts)?,
            Some(coder) => {
                let description = self.embedder.description();
                let chunks = batch.iter().flat_map(|version| version.chunks.iter());
                let keys: Vec<_> = chunks.map(|chunk| TextKey::new(description, &chunk.indexed)).collect();
                let embedded = coder.embed(self.embedder, &texts)?;
                self.catalog.store_pending_token_codes(&keys, &embedded.codes)?;
                embedded.vectors
            }
        }
        .into_iter();
        for version in &mut batch {
            version.vectors = vectors.by_ref().take(version.chunks.len()).collect();
        }
        for version in batch {
            self.catalog.commit(version)?;
        }
        note(&format!("{} documents embedded", self.counts.documents));
        Ok(())
    }
}

/// Title, a space, then the text, as BEIR's own runs do; one paragraph.
fn parsed(document: &BeirDocument) -> ParsedDocument {
    let text = if document.title.is_empty() {
        document.text.clone()
    } else {
        format!("{} {}", document.title, document.text)
    };
    let block =
        Block { kind: BlockKind::Paragraph, range: TextRange::new(0, text.len()), section: None, page: None };
    ParsedDocument {
        media_type: MediaType::PlainText,
        title: (!document.title.is_empty()).then(|| document.title.clone()),
        sections: Vec::new(),
        blocks: vec![block],
        metadata: Metadata::new(),
        coverage: Coverage::default(),
        text,
    }
}

fn whole(parsed: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Chunk, Failure> {
    Ok(Chunk {
        index: 0,
        range: TextRange::new(0, parsed.text.len()),
        char_start: 0,
        char_end: parsed.text.chars().count(),
        heading_path: Vec::new(),
        page_start: None,
        page_end: None,
        display: parsed.text.clone(),
        repeated_header: None,
        indexed: parsed.text.clone(),
        token_count: u32::try_from(tokenizer.count_tokens(&parsed.text)?).unwrap_or(u32::MAX),
    })
}

/// The beginning of `text` that the model can read.
pub(crate) fn within_window<'a>(text: &'a str, tokenizer: &dyn Tokenizer) -> Result<&'a str, Failure> {
    let room = tokenizer.max_input_tokens().saturating_sub(tokenizer.special_tokens());
    let ranges = tokenizer.token_ranges(text)?;
    if ranges.len() <= room {
        return Ok(text);
    }
    // A cut inside a word may tokenise into more pieces than the whole word did.
    let mut kept = room;
    while kept > 0 {
        let end = ranges.get(kept - 1).map_or(0, |range| range.end);
        let cut = text.get(..end).unwrap_or_default();
        if tokenizer.count_tokens(cut)? <= tokenizer.max_input_tokens() {
            return Ok(cut);
        }
        kept -= 1;
    }
    Ok("")
}
