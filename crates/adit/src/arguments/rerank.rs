//! Arguments of reranking and its calibration.

use std::path::PathBuf;

use clap::Args;

use super::{FilterArguments, FusionArgument, ModeArgument, ScopeArguments};

/// What comes after fusion.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RerankArguments {
    /// Reranker: a cross-encoder's name or folder, or `none` [default: rerank.model in adit.toml, none]
    #[arg(long = "rerank", value_name = "MODEL")]
    pub(crate) model: Option<String>,
}

/// Fit probabilities of relevance to a golden set
///
/// The scores of the reranker, or without one the fused scores, are mapped to probabilities; the map is kept in
/// the home and used by every search. Only with it may rerank.cut_off be set.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArguments {
    /// Golden set: one JSON object a line [default: golden.jsonl in the home]
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    /// How words and meaning are joined
    #[arg(long, value_enum, default_value = "standardised")]
    pub(crate) fusion: FusionArgument,
    /// Write the calibration to this file instead [default: calibration.json in the home]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rerank: RerankArguments,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}
