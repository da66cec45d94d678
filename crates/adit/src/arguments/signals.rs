use adit_retrieve::SignalSelection;
use clap::Args;

/// What comes between fusion and reranking.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SignalArguments {
    /// What multiplies scores after fusion: none, all, or a list of authority, recency, version, links,
    /// popularity, learned [default: signals.use in adit.toml, none]
    #[arg(long = "signals", value_name = "LIST")]
    pub(crate) selection: Option<SignalSelection>,
}
