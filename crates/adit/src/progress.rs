use std::sync::Mutex;
use std::time::{Duration, Instant};

use adit_ingest::{IngestEvent, IngestObserver};
use adit_model::DownloadProgress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{human_bytes, is_interactive, note};

/// How often plain lines are printed where no person watches.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Shows an ingest run: one living line on a terminal, plain lines otherwise.
pub(crate) struct IngestProgress {
    bar: Option<ProgressBar>,
    state: Mutex<Counters>,
}

struct Counters {
    files: usize,
    done: usize,
    chunks: usize,
    tokens: u64,
    started: Instant,
    printed: Instant,
}

impl IngestProgress {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let bar = is_interactive().then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} files, {msg}, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let state = Counters { files: 0, done: 0, chunks: 0, tokens: 0, started: now, printed: now };
        Self { bar, state: Mutex::new(state) }
    }

    /// Takes the living line off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(text)),
            None => note(text),
        }
    }

    fn refresh(&self, counters: &mut Counters) {
        let seconds = counters.started.elapsed().as_secs_f64().max(0.001);
        let rate = counters.chunks as f64 / seconds;
        let text = format!("{} chunks embedded ({rate:.0}/s, {} tokens)", counters.chunks, counters.tokens);
        if let Some(bar) = &self.bar {
            bar.set_position(counters.done as u64);
            bar.set_message(text);
        } else if counters.printed.elapsed() >= PLAIN_INTERVAL {
            counters.printed = Instant::now();
            note(&format!("{}/{} files, {text}", counters.done, counters.files));
        }
    }
}

impl IngestObserver for IngestProgress {
    fn event(&self, event: &IngestEvent<'_>) {
        let Ok(mut counters) = self.state.lock() else { return };
        match event {
            IngestEvent::Found { files, bytes } => {
                counters.files = *files;
                if let Some(bar) = &self.bar {
                    bar.set_length(*files as u64);
                }
                self.line(&format!("found {files} files, {}", human_bytes(*bytes)));
            }
            IngestEvent::FoundInside => {
                counters.files += 1;
                if let Some(bar) = &self.bar {
                    bar.inc_length(1);
                }
            }
            IngestEvent::Unchanged { .. } | IngestEvent::Committed { .. } => counters.done += 1,
            IngestEvent::Embedded { chunks, tokens, .. } => {
                counters.chunks += chunks;
                counters.tokens += tokens;
            }
            IngestEvent::Removed { source } => self.line(&format!("removed {source}: its file is gone")),
            IngestEvent::Notice { text } => self.line(&format!("notice: {text}")),
            IngestEvent::Reading { .. } | IngestEvent::Published { .. } => {}
        }
        self.refresh(&mut counters);
    }
}

/// Shows a download: one living line on a terminal, a line a stage otherwise.
#[derive(Default)]
pub(crate) struct DownloadLine {
    bar: Option<ProgressBar>,
    announced: Option<String>,
}

impl DownloadLine {
    /// Shows one event.
    pub(crate) fn show(&mut self, progress: &DownloadProgress) {
        match progress {
            DownloadProgress::Trying { origin } => self.line(&format!("asking {origin}")),
            DownloadProgress::Received { file, received_bytes, total_bytes } => {
                self.bytes(file, *received_bytes, *total_bytes);
            }
            DownloadProgress::Verifying { file } => {
                self.finish();
                self.line(&format!("checking sha256 of {file}"));
            }
            DownloadProgress::Failed(failure) => {
                self.finish();
                self.line(&format!("{}: {}", failure.origin, failure.reason));
            }
            DownloadProgress::Ready { origin } => {
                self.finish();
                self.line(&format!("the model is here, from {origin}"));
            }
        }
    }

    fn bytes(&mut self, file: &str, received_bytes: u64, total_bytes: u64) {
        if self.announced.as_deref() != Some(file) {
            self.finish();
            self.announced = Some(file.to_owned());
            if is_interactive() {
                let bar = ProgressBar::new(total_bytes);
                let template = "fetching {msg} {bar:24} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
                let style = ProgressStyle::with_template(template);
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_message(file.to_owned());
                self.bar = Some(bar);
            } else {
                note(&format!("fetching {file} ({})", human_bytes(total_bytes)));
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position(received_bytes);
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(text)),
            None => note(text),
        }
    }

    /// Takes the living line off the terminal.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.announced = None;
    }
}
