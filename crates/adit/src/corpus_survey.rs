//! Counting a corpus that is not indexed: the same walk, parsers, chunker and tokenizer as `adit index`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use adit_core::{
    BlockKind, Chunker, EmbedError, Embedder, MediaType, ParsedDocument, Parser, SourceFile, Tokenizer,
};
use adit_cost::DocumentSize;
use adit_ingest::{FolderSource, Home, Settings, SourceItem};
use adit_model::BertEmbedder;
use adit_parse::{GuardedParser, ParseLimits};
use serde::Serialize;

use crate::engine::{chunker, current_folder, load_embedder, own_program};
use crate::failure::Failure;

/// Texts kept to measure how fast this machine embeds.
const SAMPLE_TEXTS: usize = 32;

/// Everything that reads a corpus, at the settings of the nearest home or the defaults.
pub(crate) struct Surveyor {
    pub(crate) embedder: BertEmbedder,
    pub(crate) model_name: String,
    chunker: Box<dyn Chunker>,
    parser: GuardedParser,
    source: FolderSource,
    max_file_bytes: u64,
    threads: usize,
}

/// A file that cannot be counted.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Uncounted {
    pub(crate) source: String,
    pub(crate) reason: String,
}

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Every readable document's size, for enrichment.
    pub(crate) documents: Vec<DocumentSize>,
    /// Tokens of all texts.
    pub(crate) tokens: u64,
    /// Of those, in tables.
    pub(crate) tabular_tokens: u64,
    /// Of those, program text.
    pub(crate) code_tokens: u64,
    /// Different texts to embed, and their tokens with headings, overlap and special tokens.
    pub(crate) texts: u64,
    pub(crate) text_tokens: u64,
    /// Some of them.
    pub(crate) sample: Vec<String>,
    /// What could not be read.
    pub(crate) uncounted: Vec<Uncounted>,
    seen: HashSet<u64>,
}

impl Surveyor {
    /// Opens what `adit index` would use for the home `named`; without a home the defaults hold.
    pub(crate) fn open(named: Option<&Path>) -> Result<Self, Failure> {
        let folder = current_folder()?;
        let (base, settings) = match Home::find(named, &folder) {
            Ok(home) => (home.base_folder()?, Settings::load(&home.settings_file())?),
            Err(_) if named.is_none() => (folder, Settings::default()),
            Err(error) => return Err(error.into()),
        };
        let model = &settings.model;
        Ok(Self {
            embedder: load_embedder(&model.name, &model.precision, model.resolved_threads())?,
            model_name: model.name.clone(),
            chunker: chunker(&settings)?,
            parser: GuardedParser::new(own_program()?, ParseLimits::from(&settings.parse)),
            source: FolderSource::new(base),
            max_file_bytes: settings.parse.max_file_bytes,
            threads: model.resolved_threads(),
        })
    }

    /// Counts everything below `paths`.
    pub(crate) fn survey(&self, paths: &[PathBuf]) -> Result<Survey, Failure> {
        let walk = self.source.walk(paths)?;
        let survey = Mutex::new(Survey::default());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while let Some(item) = walk.items.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let counted = self.count(item);
                        let mut survey = survey.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        survey.add(item, counted);
                    }
                });
            }
        });
        let mut survey = survey.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        survey.uncounted.extend(
            walk.problems.into_iter().map(|problem| Uncounted {
                source: problem.source.unwrap_or_default(),
                reason: problem.cause,
            }),
        );
        survey.uncounted.sort_by(|left, right| left.source.cmp(&right.source));
        Ok(survey)
    }

    fn count(&self, item: &SourceItem) -> Result<Counted, String> {
        if item.size_bytes > self.max_file_bytes {
            return Err(format!("{} bytes are more than parse.max_file_bytes allows", item.size_bytes));
        }
        let bytes = fs_err::read(&item.path).map_err(|error| error.to_string())?;
        let file = SourceFile { name: &item.source, bytes: &bytes };
        let mut parsed = self.parser.parse(file).map_err(|error| error.to_string())?;
        // The pipeline does the same: a document without a title is called by its file's name.
        parsed.title = parsed.title.or_else(|| {
            let stem = Path::new(&item.source).file_stem()?;
            Some(stem.to_string_lossy().into_owned())
        });
        let tokenizer = self.embedder.tokenizer();
        let chunks = self.chunker.chunk(&parsed, tokenizer).map_err(|error| error.to_string())?;
        let sizes = Counted::of_text(&parsed, tokenizer).map_err(|error| error.to_string())?;
        let texts = chunks.into_iter().map(|chunk| (chunk.indexed, u64::from(chunk.token_count))).collect();
        Ok(Counted { texts, ..sizes })
    }
}

/// What was counted of one document.
#[derive(Default)]
struct Counted {
    tokens: u64,
    tabular_tokens: u64,
    code_tokens: u64,
    texts: Vec<(String, u64)>,
}

impl Counted {
    fn of_text(parsed: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Self, EmbedError> {
        let special_tokens = tokenizer.count_tokens("")?;
        let count = |text: &str| -> Result<u64, EmbedError> {
            Ok(tokenizer.count_tokens(text)?.saturating_sub(special_tokens) as u64)
        };
        let mut counted = Self { tokens: count(&parsed.text)?, ..Self::default() };
        if parsed.media_type == MediaType::Code {
            counted.code_tokens = counted.tokens;
            return Ok(counted);
        }
        for block in &parsed.blocks {
            let sum = match &block.kind {
                BlockKind::Table(_) => &mut counted.tabular_tokens,
                BlockKind::Code { .. } => &mut counted.code_tokens,
                _ => continue,
            };
            *sum += count(parsed.text.get(block.range.start..block.range.end).unwrap_or_default())?;
        }
        Ok(counted)
    }
}

impl Survey {
    fn add(&mut self, item: &SourceItem, counted: Result<Counted, String>) {
        let counted = match counted {
            Ok(counted) => counted,
            Err(reason) => {
                self.uncounted.push(Uncounted { source: item.source.clone(), reason });
                return;
            }
        };
        self.tokens += counted.tokens;
        self.tabular_tokens += counted.tabular_tokens;
        self.code_tokens += counted.code_tokens;
        self.documents.push(DocumentSize {
            document_tokens: counted.tokens,
            chunks: counted.texts.len() as u64,
            chunk_tokens: counted.texts.iter().map(|(_, tokens)| tokens).sum(),
        });
        for (text, tokens) in counted.texts {
            // The pipeline embeds a text that stands in several documents once.
            if self.seen.insert(hash_of(&text)) {
                self.texts += 1;
                self.text_tokens += tokens;
                if self.sample.len() < SAMPLE_TEXTS {
                    self.sample.push(text);
                }
            }
        }
    }

    /// `part` of all tokens, 0 for an empty corpus.
    pub(crate) fn share(&self, part: u64) -> f64 {
        if self.tokens == 0 { 0.0 } else { (part as f64 / self.tokens as f64).min(1.0) }
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
