//! One run over files: a thread reads, compares, parses and cuts; the calling thread embeds, commits
//! and publishes. Between them a bounded channel, so memory does not grow with the collection.

mod expand;
mod known;
mod prepare;
mod reading;
mod sidecar;
mod vectors;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use adit_catalog::Catalog;
use adit_core::{CHILD_SEPARATOR, Chunker, DocumentId, DocumentState, Embedder, Parser};
use adit_index::SearchIndex;

use self::expand::Inside;
use self::known::KnownDocuments;
pub use self::prepare::PreparedDocument;
use self::prepare::{Outcome, Preparer};
pub use self::reading::read_bounded;
use self::vectors::VectorBatch;
use crate::{
    AccessRules, FolderSource, IngestError, IngestEvent, IngestObserver, IngestReport, ReportedDocument,
    TokenCoder, Walk, WalkProblem,
};

/// Prepared documents that may wait for the model.
const QUEUE_DOCUMENTS: usize = 16;
/// Small documents are embedded together until they have this many chunks: single short texts
/// would leave most of a batch's token budget unused.
const BATCH_CHUNKS: usize = 128;
/// Commits become visible at least this often; a publish costs a commit of the lexical index.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(20);

/// Everything one run needs. The parts are made by the caller, which is where providers are chosen.
pub struct Pipeline {
    /// The truth.
    pub catalog: Arc<Catalog>,
    /// The derived index, opened for writing.
    pub index: Arc<SearchIndex>,
    /// Bytes to block tree.
    pub parser: Arc<dyn Parser>,
    /// Block tree to chunks.
    pub chunker: Arc<dyn Chunker>,
    /// Texts to vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Token codes beside the vectors, where they are wanted.
    pub token_coder: Option<TokenCoder>,
    /// Where files come from.
    pub source: FolderSource,
    /// Who may read what.
    pub rules: AccessRules,
    /// Larger files are not read.
    pub max_file_bytes: u64,
}

impl Pipeline {
    /// Brings the catalog and the index up to date with `paths`. Setting `cancel` ends the run after
    /// the batch at work, with everything committed so far searchable.
    ///
    /// # Errors
    /// Only what concerns the whole run: a path that is not there, the catalog, the index or the model failing.
    pub fn run(
        &self,
        paths: &[PathBuf],
        observer: &dyn IngestObserver,
        cancel: &AtomicBool,
    ) -> Result<IngestReport, IngestError> {
        let started = Instant::now();
        let walk = self.source.walk(paths)?;
        observer.event(&IngestEvent::Found {
            files: walk.items.len(),
            bytes: walk.items.iter().map(|item| item.size_bytes).sum(),
        });
        let known = KnownDocuments::read(&self.catalog)?;
        let mut run = Run::new(self, observer, cancel, &walk);
        let (sender, receiver) = sync_channel(QUEUE_DOCUMENTS);
        let preparer = Preparer { pipeline: self, known: &known };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let sender = sender;
                for item in &walk.items {
                    if cancel.load(Ordering::Relaxed) {
                        break;
                    }
                    // A closed channel means the run has ended early.
                    let mut is_over = false;
                    let prepared = preparer.prepare(item, &mut |outcome| {
                        is_over |= cancel.load(Ordering::Relaxed) || sender.send(Ok(outcome)).is_err();
                        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    });
                    let failed = prepared.is_err();
                    if let Err(error) = prepared {
                        let _ = sender.send(Err(error));
                    }
                    if failed || is_over {
                        break;
                    }
                }
            });
            run.consume(receiver)
        })?;
        for problem in &walk.problems {
            run.record_problem(problem);
        }
        run.report.interrupted = cancel.load(Ordering::Relaxed);
        if !run.report.interrupted {
            run.remove_vanished(&walk, &known)?;
            self.catalog.forget_pending_vectors()?;
        }
        run.publish()?;
        run.report.elapsed_ms = milliseconds(started.elapsed());
        Ok(run.report)
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The state of one run on the calling thread.
struct Run<'a> {
    pipeline: &'a Pipeline,
    observer: &'a dyn IngestObserver,
    cancel: &'a AtomicBool,
    report: IngestReport,
    waiting: Vec<PreparedDocument>,
    waiting_chunks: usize,
    last_publish: Instant,
    unpublished: bool,
    /// What became of the documents inside files, by the file.
    inside: HashMap<String, Inside>,
}

impl<'a> Run<'a> {
    fn new(
        pipeline: &'a Pipeline,
        observer: &'a dyn IngestObserver,
        cancel: &'a AtomicBool,
        walk: &Walk,
    ) -> Self {
        Self {
            pipeline,
            observer,
            cancel,
            report: IngestReport { files: walk.items.len(), ..IngestReport::default() },
            waiting: Vec::new(),
            waiting_chunks: 0,
            last_publish: Instant::now(),
            unpublished: false,
            inside: HashMap::new(),
        }
    }

    fn consume(&mut self, receiver: Receiver<Result<Outcome, IngestError>>) -> Result<(), IngestError> {
        for outcome in receiver {
            match outcome? {
                Outcome::Unchanged { source, state } => {
                    self.report.unchanged += 1;
                    self.observer.event(&IngestEvent::Unchanged { source: &source });
                    self.list_if_not_searchable(source, state);
                }
                Outcome::FoundInside => {
                    self.report.files += 1;
                    self.observer.event(&IngestEvent::FoundInside);
                }
                Outcome::Emptied { source, inside } => {
                    self.inside.insert(source, inside);
                }
                Outcome::Ready(document) => {
                    self.observer.event(&IngestEvent::Reading { source: &document.version.source });
                    self.waiting_chunks += document.version.chunks.len();
                    self.waiting.push(*document);
                }
            }
            if self.waiting_chunks >= BATCH_CHUNKS {
                self.embed_and_commit()?;
            }
            if self.cancel.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        self.embed_and_commit()
    }

    /// Embeds all waiting documents together and commits them one by one, in order.
    fn embed_and_commit(&mut self) -> Result<(), IngestError> {
        let documents = std::mem::take(&mut self.waiting);
        self.waiting_chunks = 0;
        let mut batch = VectorBatch::new(self.pipeline, self.observer, self.cancel);
        let vectors = batch.embed(&documents)?;
        self.report.embedded_chunks += batch.computed_chunks;
        self.report.embedded_tokens += batch.computed_tokens;
        self.report.embedding_ms += milliseconds(batch.model_time);
        let Some(vectors) = vectors else {
            return Ok(());
        };
        for (mut document, vectors) in documents.into_iter().zip(vectors) {
            document.version.vectors = vectors;
            self.commit(document)?;
        }
        if self.last_publish.elapsed() >= PUBLISH_INTERVAL {
            self.publish()?;
        }
        Ok(())
    }

    fn commit(&mut self, document: PreparedDocument) -> Result<(), IngestError> {
        let PreparedDocument { version, links, supersedes } = document;
        let (source, state, chunks) = (version.source.clone(), version.state.clone(), version.chunks.len());
        self.pipeline.catalog.commit_with_links(version, &links.links)?;
        if links.left_out > 0 {
            let text =
                format!("{source}: {} link targets beyond the first ones are not kept", links.left_out);
            self.observer.event(&IngestEvent::Notice { text: &text });
        }
        for old in supersedes {
            self.pipeline.catalog.remove(&old)?;
        }
        self.unpublished = true;
        self.report.committed += 1;
        self.report.chunks += chunks;
        self.observer.event(&IngestEvent::Committed { source: &source, state: &state, chunks });
        self.list_if_not_searchable(source, state);
        Ok(())
    }

    fn list_if_not_searchable(&mut self, source: String, state: DocumentState) {
        if state != DocumentState::Searchable {
            self.report.reported.push(ReportedDocument { source, state });
        }
    }

    fn record_problem(&mut self, problem: &WalkProblem) {
        let text = match &problem.source {
            Some(source) => format!("{source}: {}", problem.cause),
            None => problem.cause.clone(),
        };
        self.observer.event(&IngestEvent::Notice { text: &text });
        self.report.problems.push(text);
    }

    /// Removes documents whose file was in a folder that is now known to be without it, and documents
    /// that are no longer inside their file.
    fn remove_vanished(&mut self, walk: &Walk, known: &KnownDocuments) -> Result<(), IngestError> {
        let present: std::collections::HashSet<&str> =
            walk.items.iter().map(|item| item.source.as_str()).collect();
        for (source, id) in known.all() {
            if present.contains(source) {
                continue;
            }
            // A name with the separator may also be that of a file in a folder whose name ends with `!`.
            let file = source
                .match_indices(CHILD_SEPARATOR)
                .filter_map(|(end, _)| source.get(..end))
                .find(|file| present.contains(file));
            let is_gone = match file {
                Some(file) => self.inside.get(file).is_none_or(|inside| !inside.keeps(source)),
                None => walk.covers(source),
            };
            if is_gone {
                self.remove(source, id)?;
            }
        }
        Ok(())
    }

    fn remove(&mut self, source: &str, id: &DocumentId) -> Result<(), IngestError> {
        if self.pipeline.catalog.remove(id)?.is_some() {
            self.unpublished = true;
            self.report.removed += 1;
            self.observer.event(&IngestEvent::Removed { source });
        }
        Ok(())
    }

    fn publish(&mut self) -> Result<(), IngestError> {
        if self.unpublished {
            let sequence = self.pipeline.index.catch_up()?;
            self.observer.event(&IngestEvent::Published { sequence });
            self.unpublished = false;
        }
        self.last_publish = Instant::now();
        Ok(())
    }
}
