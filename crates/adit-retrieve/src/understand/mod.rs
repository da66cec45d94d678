//! From what somebody typed to what is searched for: a typed query, and the searches it takes.
//!
//! Rules work without a model: quoted phrases, identifiers, dates, follow-up questions, comparisons and
//! several questions in one. A model, where there is one, does in one call what rules cannot: rewriting,
//! sub-questions, other wordings, a more general question, a made-up answer to search with.

mod conversation;
mod dates;
mod decomposition;
mod filters;
mod model_plan;
mod phrases;
mod plan;
mod settings;

pub use conversation::Turn;
pub use dates::DateRange;
pub(crate) use decomposition::parts;
pub use plan::{PlannedSearch, QueryPlan, SearchKind};
pub(crate) use plan::{Surroundings, plan};
pub use settings::{FilterUse, Understanding};
