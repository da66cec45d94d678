use adit_ingest::UnderstandSection;
use adit_retrieve::{FilterUse, Understanding};
use clap::Args;

/// How the question may be reshaped before it is searched for.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Understanding the question")]
pub(crate) struct UnderstandingArguments {
    /// Search for the question exactly as it is
    #[arg(long)]
    pub(crate) literal: bool,
    /// Search for the parts of comparisons and of several questions in one as well
    #[arg(long)]
    pub(crate) decompose: bool,
    /// Search for so many other wordings as well, 0 to 5 (needs a language model)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    pub(crate) variants: Option<u8>,
    /// Search for a more general question as well (needs a language model)
    #[arg(long)]
    pub(crate) step_back: bool,
    /// Search by meaning for a made-up answer as well (needs a language model)
    #[arg(long)]
    pub(crate) hyde: bool,
    /// Narrow the search by the dates and kinds of document that the question names
    #[arg(long)]
    pub(crate) apply_filters: bool,
}

impl UnderstandingArguments {
    /// The settings with what the command line says over them.
    pub(crate) fn over(self, section: &UnderstandSection) -> Understanding {
        if self.literal {
            return Understanding::OFF;
        }
        Understanding {
            follow_up: section.follow_up,
            long_question: section.long_question,
            decompose: section.decompose || self.decompose,
            variants: self.variants.map_or(section.variants, usize::from),
            step_back: section.step_back || self.step_back,
            hypothetical_answer: section.hypothetical_answer || self.hyde,
            filters: match section.filters.as_str() {
                _ if self.apply_filters => FilterUse::Apply,
                "apply" => FilterUse::Apply,
                "ignore" => FilterUse::Ignore,
                _ => FilterUse::Suggest,
            },
        }
    }
}
