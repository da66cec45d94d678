use adit_retrieve::LateInteractionDefault;
use clap::Args;

/// Whether token vectors take part in a search.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct LateInteractionArguments {
    /// Score candidates by token vectors too, whatever the settings say
    #[arg(long = "late-interaction", overrides_with = "off")]
    on: bool,
    /// Leave token vectors out
    #[arg(long = "no-late-interaction", overrides_with = "on")]
    off: bool,
    /// What token vectors count beside words [default: late_interaction.weight in adit.toml, 0.5]
    #[arg(long = "late-interaction-weight", value_name = "WEIGHT", conflicts_with_all = ["on", "off"])]
    weight: Option<f32>,
}

impl LateInteractionArguments {
    /// The weight to ask with, where a switch names one.
    pub(crate) fn weight(self) -> Option<f32> {
        match (self.on, self.off) {
            (_, true) => Some(0.0),
            (true, false) => Some(LateInteractionDefault::default().weight),
            (false, false) => self.weight,
        }
    }
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RebuildArguments {
    /// First give token codes to all chunks that have none, or to all when the settings of late_interaction
    /// have changed; runs the embedding model
    #[arg(long)]
    pub(crate) late_interaction: bool,
}
