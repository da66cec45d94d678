//! From files to the catalog: where documents come from, who may read them, and the pipeline that
//! takes each one through read, parse, chunk, embed and commit.
//!
//! One bad file never stops a run: whatever happens to it becomes its state in the catalog. A run
//! can be cancelled between two batches; what is committed stays, vectors that were computed for an
//! unfinished document are kept, and the next run goes on from there.

mod access_rights;
mod error;
mod home;
mod links;
mod observer;
mod pipeline;
mod settings;
mod source;
mod token_coder;

pub use access_rights::{AccessRule, AccessRules, DocumentRights};
pub use error::IngestError;
pub use home::{DERIVED_FOLDER, Home, SETTINGS_FILE};
pub use links::{FoundLinks, find_links};
pub use observer::{IngestEvent, IngestObserver, IngestReport, ReportedDocument, SilentObserver};
pub use pipeline::{Pipeline, PreparedDocument, read_bounded};
pub use settings::{
    AgentSection, AnswerSection, AuthoritySection, ChunkSection, GateSection, LateInteractionSection,
    LogSection, ModelSection, ParseSection, RerankSection, SearchSection, Settings, SignalsSection,
    UnderstandSection,
};
pub use source::{FolderSource, SIDECAR_ENDING, SourceItem, Walk, WalkProblem};
pub use token_coder::{EmbeddedChunks, TokenCodeFill, TokenCoder};
