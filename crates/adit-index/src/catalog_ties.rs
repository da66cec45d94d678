//! What ties the derived files to one catalog: its fingerprint, its name, and when its dead rows may go.

use std::time::{SystemTime, UNIX_EPOCH};

use adit_catalog::{Catalog, CatalogView};
use adit_core::{Fingerprint, IndexError, SequenceNumber};

use crate::options::IndexOptions;

pub(crate) const NAME_KEY: &str = "index.catalog_name";
const PURGE_KEY: &str = "index.purge_up_to";

/// The catalog's fingerprint, if it is the one the options ask for.
pub(crate) fn wanted_fingerprint(
    view: &CatalogView,
    options: &IndexOptions,
) -> Result<Fingerprint, IndexError> {
    let Some(stored) = view.fingerprint()? else {
        return Err(IndexError::Catalog { detail: "nothing has been indexed yet".to_owned() });
    };
    match &options.fingerprint {
        Some(given) if *given != stored => {
            Err(IndexError::FingerprintMismatch { index: Box::new(stored), given: Box::new(given.clone()) })
        }
        _ => Ok(stored),
    }
}

/// A name no other catalog has, given on first use: a catalog that was deleted and filled again has other
/// chunks under the same numbers.
pub(crate) fn catalog_name(catalog: &Catalog) -> Result<String, IndexError> {
    if let Some(name) = catalog.setting(NAME_KEY)? {
        return Ok(name);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&now.to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    // The address of a stack variable differs between runs where addresses are randomised.
    hasher.update(&(std::ptr::from_ref(&now) as usize).to_le_bytes());
    let name: String = hasher.finalize().to_hex().chars().take(16).collect();
    catalog.set_setting(NAME_KEY, &name)?;
    Ok(name)
}

/// Removes rows that were dead before the previous writer opened. Readers in other processes, which
/// may be one run behind, still find every text their snapshot names.
pub(crate) fn purge_what_the_last_run_left(
    catalog: &Catalog,
    published: SequenceNumber,
) -> Result<(), IndexError> {
    let noted = catalog.setting(PURGE_KEY)?.and_then(|number| number.parse().ok()).map(SequenceNumber);
    if noted == Some(published) {
        return Ok(());
    }
    if let Some(noted) = noted
        && noted <= published
        && noted > catalog.view()?.purged_up_to()?
    {
        let chunks = catalog.purge_dead(noted)?;
        tracing::debug!(chunks, up_to = noted.0, "purged dead chunks");
    }
    catalog.set_setting(PURGE_KEY, &published.to_string())?;
    Ok(())
}
