use std::ops::ControlFlow;

use adit_core::{CHILD_SEPARATOR, ChildFile, ContainerLimit, Expansion, ParseError, SourceFile};

use super::{Take, exceeded, is_container};
use crate::{ParseLimits, detect_media_type};

/// Opens one container, given to it whole.
pub(crate) trait OpenLevel {
    /// As [`super::expand_level`].
    fn open(&self, file: SourceFile<'_>, take: &mut Take<'_>) -> Result<Option<Expansion>, ParseError>;
}

/// Opens containers inside containers. The limits hold for all of them together, because a bomb may be
/// made of many harmless ones.
pub(crate) struct Nested<'a> {
    level: &'a dyn OpenLevel,
    limits: &'a ParseLimits,
    entries: u64,
    unpacked_bytes: u64,
}

impl<'a> Nested<'a> {
    pub(crate) fn new(level: &'a dyn OpenLevel, limits: &'a ParseLimits) -> Self {
        Self { level, limits, entries: 0, unpacked_bytes: 0 }
    }

    /// As [`adit_core::Parser::expand`].
    pub(crate) fn expand(
        &mut self,
        file: SourceFile<'_>,
        take: &mut Take<'_>,
    ) -> Result<Option<Expansion>, ParseError> {
        self.descend(file, "", 1, take).map(|(expansion, _)| expansion)
    }

    // Recursion is bounded by `max_container_depth`, which is a small number.
    fn descend(
        &mut self,
        file: SourceFile<'_>,
        prefix: &str,
        depth: u64,
        take: &mut Take<'_>,
    ) -> Result<(Option<Expansion>, ControlFlow<()>), ParseError> {
        let mut flow = ControlFlow::Continue(());
        let mut problem = None;
        let level = self.level;
        let expansion = level.open(file, &mut |child| {
            let result = self.child(child, prefix, depth, take);
            flow = match result {
                Ok(flow) => flow,
                Err(error) => {
                    problem = Some(error);
                    ControlFlow::Break(())
                }
            };
            flow
        });
        match problem {
            Some(error) => Err(error),
            None => expansion.map(|expansion| (expansion, flow)),
        }
    }

    /// Hands one file over, then what is in it. A limit that all share ends the outermost container; any
    /// other trouble is the inner one's alone.
    fn child(
        &mut self,
        child: ChildFile,
        prefix: &str,
        depth: u64,
        take: &mut Take<'_>,
    ) -> Result<ControlFlow<()>, ParseError> {
        self.entries += 1;
        exceeded(self.entries, ContainerLimit::Entries, self.limits.max_container_entries)?;
        let size_bytes = child.content.as_ref().map_or(0, |bytes| bytes.len() as u64);
        self.unpacked_bytes = self.unpacked_bytes.saturating_add(size_bytes);
        exceeded(self.unpacked_bytes, ContainerLimit::TotalBytes, self.limits.max_container_bytes)?;
        let ChildFile { path, modified_unix_ms, content } = child;
        let path = format!("{prefix}{path}");
        let bytes = match content {
            Ok(bytes) if is_container(detect_media_type(SourceFile { name: &path, bytes: &bytes })) => bytes,
            content => return Ok(take(ChildFile { path, modified_unix_ms, content })),
        };
        let own = self.descend_into(&path, &bytes, depth, take)?;
        let Some(own) = own else { return Ok(ControlFlow::Break(())) };
        Ok(take(ChildFile { path, modified_unix_ms, content: own.map(|()| bytes) }))
    }

    /// What the container itself is to be, after all that is in it; `None` when the taker has enough.
    fn descend_into(
        &mut self,
        path: &str,
        bytes: &[u8],
        depth: u64,
        take: &mut Take<'_>,
    ) -> Result<Option<Result<(), ParseError>>, ParseError> {
        let file = SourceFile { name: path, bytes };
        let has_own_text = super::has_own_text(file);
        if depth >= self.limits.max_container_depth {
            let most = self.limits.max_container_depth;
            let too_deep = ParseError::ContainerLimit { limit: ContainerLimit::Depth, most };
            // A message at the bottom still has its own words, which name its attachments.
            return Ok(Some(if has_own_text { Ok(()) } else { Err(too_deep) }));
        }
        let prefix = format!("{path}{CHILD_SEPARATOR}");
        match self.descend(file, &prefix, depth + 1, take) {
            Ok((_, ControlFlow::Break(()))) => Ok(None),
            Ok((_, ControlFlow::Continue(()))) => Ok(Some(Ok(()))),
            Err(error) if self.is_shared(&error) => Err(error),
            Err(_) if has_own_text => Ok(Some(Ok(()))),
            Err(error) => Ok(Some(Err(error))),
        }
    }

    fn is_shared(&self, error: &ParseError) -> bool {
        let is_used_up = self.entries > self.limits.max_container_entries
            || self.unpacked_bytes > self.limits.max_container_bytes;
        is_used_up && matches!(error, ParseError::ContainerLimit { .. })
    }
}
