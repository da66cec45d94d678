//! The language model and the hosted reranker that the settings name, and the ledger that hears of every paid call.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adit_core::{LanguageModel, Reranker};
use adit_cost::{LedgerEntry, LedgerFile, PriceTable, Purpose, cost_usd};
use adit_ingest::{Home, Settings};
use adit_provider::{
    CallContext, ProviderError, ProviderSettings, UsageRecord, UsageSink, Wait, open_language_model,
    open_reranker,
};

use crate::failure::Failure;
use crate::output::note;

/// The ledger's file in the home directory.
pub(crate) const LEDGER_FILE: &str = "ledger.jsonl";

/// `off` keeps a server of this machine from being used unless the settings name it.
const LOCAL_MODEL_VARIABLE: &str = "ADIT_LOCAL_MODEL";

/// How often, and after what pause, a ledger that another process writes at this moment is tried again.
const LEDGER_ATTEMPTS: usize = 100;
const LEDGER_PAUSE: Duration = Duration::from_millis(20);

/// The model that writes answers. Without a section `[language_model]`, a server that runs on this machine is
/// taken, if there is one.
pub(crate) fn language_model(
    home: &Home,
    settings: &Settings,
    purpose: Purpose,
) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
    let context = call_context(home, purpose)?;
    if let Some(section) = &settings.language_model {
        return Ok(Some(open_language_model(section, context)?));
    }
    if std::env::var(LOCAL_MODEL_VARIABLE).is_ok_and(|value| value == "off") {
        return Ok(None);
    }
    match open_language_model(&ProviderSettings::default(), context) {
        Ok(model) => {
            let description = model.description();
            note(&format!(
                "note: answers are written by {}, found on this machine ({LOCAL_MODEL_VARIABLE}=off turns that off)",
                description.model
            ));
            Ok(Some(model))
        }
        Err(ProviderError::NoLocalServer { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The reranker of the section `[reranker]`, if there is one.
pub(crate) fn hosted_reranker(
    home: &Home,
    settings: &Settings,
) -> Result<Option<Arc<dyn Reranker>>, Failure> {
    let Some(section) = &settings.reranker else { return Ok(None) };
    Ok(Some(open_reranker(section, call_context(home, Purpose::Rerank)?)?))
}

fn call_context(home: &Home, purpose: Purpose) -> Result<CallContext, Failure> {
    let sink = LedgerSink {
        path: home.folder().join(LEDGER_FILE),
        purpose,
        prices: PriceTable::built_in()?,
        was_troubled: Mutex::new(false),
    };
    Ok(CallContext {
        usage: Arc::new(sink),
        on_wait: Arc::new(|wait: &Wait| {
            note(&format!(
                "note: waiting {:.1} s for the model: {:?}",
                wait.pause.as_secs_f32(),
                wait.reason
            ));
        }),
        ..CallContext::default()
    })
}

/// Writes every call to the home's ledger before its answer is used.
struct LedgerSink {
    path: PathBuf,
    purpose: Purpose,
    prices: PriceTable,
    /// Trouble is told once a run.
    was_troubled: Mutex<bool>,
}

impl LedgerSink {
    fn entry(&self, record: &UsageRecord) -> LedgerEntry {
        let cost_usd = record.cost_usd.unwrap_or_else(|| self.cost_usd(record));
        LedgerEntry {
            time: jiff::Timestamp::now(),
            purpose: self.purpose,
            model: record.model.clone(),
            usage: record.usage,
            cost_usd,
            trace_id: None,
        }
    }

    /// By the price table.
    fn cost_usd(&self, record: &UsageRecord) -> f64 {
        self.prices.price(&record.model).map_or_else(
            |_| {
                // A model of this machine has no price; another one without a price is told.
                if record.provider != "local" && record.provider != "open_ai" {
                    self.tell(&format!("no price is known for {}; its calls count 0 USD", record.model));
                }
                0.0
            },
            |price| cost_usd(&record.usage, price),
        )
    }

    fn append(&self, entry: &LedgerEntry) -> Result<(), String> {
        let mut attempt = 1;
        // Another process may hold the ledger for the moment it takes to write a line.
        let mut file = loop {
            match LedgerFile::open(&self.path) {
                Ok((file, torn)) => {
                    if let Some(torn) = torn {
                        self.tell(&format!("the ledger lost {} bytes of a half-written line", torn.bytes));
                    }
                    break file;
                }
                Err(error) if attempt == LEDGER_ATTEMPTS => return Err(error.to_string()),
                Err(_) => std::thread::sleep(LEDGER_PAUSE),
            }
            attempt += 1;
        };
        file.append(entry).map_err(|error| error.to_string())
    }

    fn tell(&self, trouble: &str) {
        let mut was_troubled = self.was_troubled.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *was_troubled, true) {
            note(&format!("notice: {trouble}"));
        }
    }
}

impl UsageSink for LedgerSink {
    fn record(&self, record: &UsageRecord) {
        let entry = self.entry(record);
        if let Err(error) = self.append(&entry) {
            let tokens = entry.usage.input_tokens + entry.usage.output_tokens;
            self.tell(&format!("a call of {tokens} tokens is not in the ledger: {error}"));
        }
    }
}
