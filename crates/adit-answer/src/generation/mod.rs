//! What a language model is given and how its answer is read.

mod fence;
mod native_citations;
mod prompt;
mod refusal;

pub use fence::Fence;
pub(crate) use native_citations::with_native_citations;
pub use prompt::{answer_request, system_prompt};
pub(crate) use refusal::tells_an_absence;
pub use refusal::{REFUSAL, is_refusal};
