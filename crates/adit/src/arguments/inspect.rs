use std::path::PathBuf;

use clap::Args;

/// One file, as the parser and the chunker see it.
#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The file; it is not indexed
    pub(crate) file: PathBuf,
    /// Show the whole text of every chunk
    #[arg(long)]
    pub(crate) full: bool,
}
