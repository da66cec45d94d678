//! The files that segments lie in: a header sealed by a checksum, then sections one after the other, each padded
//! with zeros to a multiple of [`SECTION_ALIGNMENT_BYTES`] and with a checksum of its own. All numbers are
//! little-endian. A file gets its name only when it is complete and on the disk, and never changes afterwards.
//!
//! What a header's numbers mean, and which sections there are, is for the crates above to say.

mod error;
mod header;
mod map;
mod section;
mod writer;

pub use error::SegmentFileError;
pub use header::{NumberReader, seal, sealed};
pub use map::map_segment;
pub use section::{Section, check_layout, section_bytes, verify_sections};
pub use writer::SegmentWriter;

/// Where a section may begin.
pub const SECTION_ALIGNMENT_BYTES: u64 = 64;
