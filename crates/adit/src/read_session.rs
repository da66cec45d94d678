//! A home opened for searching: catalog, snapshot, model and retriever.

use std::sync::Arc;
use std::thread::JoinHandle;

use adit_catalog::Catalog;
use adit_core::{Classified, Embedder, ErrorClass, Filter, Fingerprint, IndexError, IndexSnapshot, Scope};
use adit_index::{IndexOptions, SearchIndex};
use adit_ingest::{Home, Settings};
use adit_lexical::Bm25Parameters;
use adit_model::BertEmbedder;
use adit_retrieve::{Fusion, LateInteractionDefault, Mode, Retriever, SearchRequest, SignalSelection};

use crate::arguments::{FusionArgument, ModeArgument, UnderstandingArguments};
use crate::engine::{load_embedder, open_index_writer};
use crate::failure::Failure;
use crate::output::note;
use crate::{reranking, signals};

/// Everything a search needs.
pub(crate) struct ReadSession {
    pub(crate) retriever: Retriever,
    settings: Settings,
}

impl From<ModeArgument> for Mode {
    fn from(argument: ModeArgument) -> Self {
        match argument {
            ModeArgument::Hybrid => Self::Hybrid,
            ModeArgument::Dense => Self::Dense,
            ModeArgument::Lexical => Self::Lexical,
        }
    }
}

impl From<FusionArgument> for Fusion {
    fn from(argument: FusionArgument) -> Self {
        match argument {
            FusionArgument::Standardised => Self::Standardised,
            FusionArgument::Rrf => Self::ReciprocalRank,
        }
    }
}

impl ReadSession {
    /// Opens `home`. The model is loaded while the index is opened; where it cannot be had, a hybrid
    /// search goes on by words alone and says so.
    pub(crate) fn open(home: &Home, settings: &Settings, mode: ModeArgument) -> Result<Self, Failure> {
        let model = (mode != ModeArgument::Lexical).then(|| start_loading(settings));
        let catalog = Arc::new(Catalog::open_read_only(&home.catalog_file())?);
        let stored = catalog.fingerprint()?;
        check_analyser(stored.as_ref())?;
        let index = open_index(home, &catalog)?;
        let embedder = match model.map(finish_loading).transpose() {
            Ok(embedder) => embedder,
            Err(failure) if mode == ModeArgument::Hybrid => {
                note(&format!("notice: searching by words only, the model is not there: {failure}"));
                None
            }
            Err(failure) => return Err(failure),
        };
        if let (Some(stored), Some(embedder)) = (&stored, &embedder) {
            check_embedder(stored, embedder)?;
        }
        let embedder = embedder.map(|embedder| Arc::new(embedder) as Arc<dyn Embedder>);
        let section = &settings.late_interaction;
        let weight = if section.enabled { section.weight } else { 0.0 };
        let retriever = Retriever::new(Arc::new(index), catalog, embedder)
            .with_late_interaction(LateInteractionDefault { weight })
            .with_signals(signals::open(home, settings, None)?);
        let retriever = reranking::attach_or_note(retriever, home, settings)?;
        Ok(Self { retriever, settings: settings.clone() })
    }

    /// The session with the signals that a call asks for, where it asks for any.
    pub(crate) fn with_signals(self, home: &Home, asked: Option<SignalSelection>) -> Result<Self, Failure> {
        if asked.is_none() {
            return Ok(self);
        }
        let retriever = self.retriever.with_signals(signals::open(home, &self.settings, asked)?);
        Ok(Self { retriever, settings: self.settings })
    }

    /// A request with the defaults of the settings.
    pub(crate) fn request<'a>(
        &self,
        query: &'a str,
        scope: &'a Scope,
        filter: &'a Filter,
        mode: ModeArgument,
    ) -> SearchRequest<'a> {
        let section = &self.settings.search;
        SearchRequest {
            mode: mode.into(),
            limit: section.limit,
            budget_tokens: section.budget_tokens,
            bm25: Bm25Parameters { k1: section.k1, b: section.b },
            fold_duplicates: section.fold_duplicates,
            most_per_document: section.most_per_document,
            understanding: UnderstandingArguments::default().over(&self.settings.understand),
            ..SearchRequest::new(query, scope, filter)
        }
    }
}

fn start_loading(settings: &Settings) -> JoinHandle<Result<BertEmbedder, Failure>> {
    let model = settings.model.clone();
    std::thread::spawn(move || load_embedder(&model.name, &model.precision, model.resolved_threads()))
}

fn finish_loading(loading: JoinHandle<Result<BertEmbedder, Failure>>) -> Result<BertEmbedder, Failure> {
    loading.join().unwrap_or_else(|_| Err(Failure::world("loading the model ended in a panic")))
}

/// Opens the published snapshot. One that is behind the catalog or damaged is mended first. Where that is
/// not possible, because another process is writing or the disk is full, a consistent snapshot still
/// answers, and how far it is behind is said.
fn open_index(home: &Home, catalog: &Arc<Catalog>) -> Result<SearchIndex, Failure> {
    let folder = home.derived_folder();
    let open = || SearchIndex::open_reader(&folder, Arc::clone(catalog), IndexOptions::default());
    let index = match open() {
        Ok(index) => index,
        Err(IndexError::Damaged { .. }) => {
            mend(home)?;
            return Ok(open()?);
        }
        Err(error) => return Err(error.into()),
    };
    let (published, committed) = (index.snapshot().sequence(), catalog.last_sequence()?);
    if published >= committed {
        return Ok(index);
    }
    match mend(home) {
        Ok(()) => Ok(open()?),
        Err(error) if matches!(error.class(), ErrorClass::World | ErrorClass::Refused) => {
            note(&format!("notice: searching as of change {published} of {committed}: {error}"));
            Ok(index)
        }
        Err(error) => Err(error.into()),
    }
}

fn mend(home: &Home) -> Result<(), IndexError> {
    let catalog = Catalog::create_or_open(&home.catalog_file())
        .map_err(|error| IndexError::Catalog { detail: error.to_string() })?;
    let options = IndexOptions { background_merges: false, ..IndexOptions::default() };
    open_index_writer(home, &Arc::new(catalog), options)?;
    Ok(())
}

fn check_analyser(stored: Option<&Fingerprint>) -> Result<(), Failure> {
    let Some(stored) = stored else {
        return Err(Failure::usage("nothing is indexed here yet", "run `adit index PATH` first"));
    };
    let given = Fingerprint { analyser: adit_lexical::ANALYSER_VERSION.to_owned(), ..stored.clone() };
    refuse_if_other(stored, given)
}

fn check_embedder(stored: &Fingerprint, embedder: &BertEmbedder) -> Result<(), Failure> {
    let given = Fingerprint { embedder: embedder.description().clone(), ..stored.clone() };
    refuse_if_other(stored, given)
}

fn refuse_if_other(stored: &Fingerprint, given: Fingerprint) -> Result<(), Failure> {
    if *stored == given {
        return Ok(());
    }
    let error = IndexError::FingerprintMismatch { index: Box::new(stored.clone()), given: Box::new(given) };
    Err(error.into())
}
