use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use adit_core::IndexError;

use crate::files::io_error;
use crate::search_index::Shared;

/// The thread that merges when it is woken.
#[derive(Debug)]
pub(crate) struct Merger {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl Merger {
    pub(crate) fn start(shared: Arc<Shared>) -> Result<Self, IndexError> {
        // One waiting wake-up is enough: the thread merges until nothing is due.
        let (wake, woken) = sync_channel(1);
        let collection = shared.collection.clone();
        let thread = std::thread::Builder::new()
            .name("adit-merge".to_owned())
            .spawn(move || run(&shared, &woken))
            .map_err(|error| io_error(&collection, error))?;
        Ok(Self { wake, thread })
    }

    pub(crate) fn wake(&self) {
        // Full means that a wake-up is waiting already.
        let _ = self.wake.try_send(());
    }

    /// Ends the thread; a merge that is under way must have been cancelled before.
    pub(crate) fn finish(self) {
        drop(self.wake);
        if self.thread.join().is_err() {
            tracing::error!("the merge thread panicked");
        }
    }
}

fn run(shared: &Shared, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        loop {
            if shared.cancel_merge.load(Ordering::Acquire) {
                break;
            }
            match shared.merge_once() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "a merge failed; searches go on without it");
                    break;
                }
            }
        }
    }
}
