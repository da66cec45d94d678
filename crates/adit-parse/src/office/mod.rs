//! What the Office formats share.

pub(crate) mod blocks;
pub(crate) mod chart;
pub(crate) mod properties;
