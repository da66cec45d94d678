use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

/// A flag that Ctrl-C (or a polite kill) sets; a second one ends the program at once.
pub(crate) fn cancel_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::world(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(cancel)
}
