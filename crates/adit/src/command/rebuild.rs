use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_index::IndexOptions;

use crate::engine::{existing_home, open_index_writer};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

pub(super) fn run(home: Option<&Path>, output: Output) -> Result<Exit, Failure> {
    let (home, _) = existing_home(home)?;
    let catalog = Arc::new(Catalog::create_or_open(&home.catalog_file())?);
    let index = open_index_writer(&home, &catalog, IndexOptions::default())?;
    index.rebuild(&mut |progress| note(&progress.to_string()))?;
    let statistics = index.statistics();
    output.result(&statistics, |statistics| {
        format!("rebuilt from the catalog: {} live chunks", statistics.live_chunks)
    })?;
    Ok(Exit::Done)
}
