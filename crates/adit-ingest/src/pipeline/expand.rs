//! Documents inside a file: members of an archive, attachments of a mail, messages of a mailbox. Each is a
//! document of its own, named `file!/path`, under the rights of its file; it goes when its file goes and
//! stays when its file has not changed.

use std::collections::HashSet;
use std::ops::ControlFlow;

use adit_core::{
    AccessControl, ChildFile, DocumentState, Expansion, Metadata, ParseError, ParsedDocument, SourceFile,
    child_source,
};

use super::prepare::{Emit, Outcome, Preparer, Setback};
use crate::{DocumentRights, IngestError, SourceItem};

/// The documents inside one file after a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// All that were known stay.
    Unchanged,
    /// These stay or came; others that were known are gone.
    Sources(HashSet<String>),
}

impl Default for Inside {
    fn default() -> Self {
        Self::Sources(HashSet::new())
    }
}

impl Inside {
    /// Whether the document `source` inside the file stays.
    pub(super) fn keeps(&self, source: &str) -> bool {
        match self {
            Self::Unchanged => true,
            Self::Sources(sources) => sources.contains(source),
        }
    }
}

/// A container with words of its own, and what became of the files in it.
pub(super) struct TextContainer {
    expansion: Result<Expansion, ParseError>,
}

impl Preparer<'_> {
    /// Reports what is known inside an unchanged file as unchanged. `false`, and nothing reported, if one
    /// of them failed: then the file is opened again.
    pub(super) fn emit_unchanged_inside(&self, source: &str, emit: &mut Emit<'_>) -> bool {
        if self.known.inside(source).any(|record| matches!(record.state, DocumentState::Failed { .. })) {
            return false;
        }
        for record in self.known.inside(source) {
            let flow = emit(Outcome::FoundInside);
            let outcome = Outcome::Unchanged { source: record.source.clone(), state: record.state.clone() };
            if flow.is_break() || emit(outcome).is_break() {
                break;
            }
        }
        true
    }

    /// Prepares every document inside `file`. The first result is what the file itself is to become: an
    /// error when it is a container that failed or has no words of its own, else what
    /// [`Preparer::parse`] needs to know.
    pub(super) fn expand(
        &self,
        item: &SourceItem,
        file: SourceFile<'_>,
        sidecar: Option<&Metadata>,
        emit: &mut Emit<'_>,
    ) -> Result<(Result<Option<TextContainer>, ParseError>, Inside), IngestError> {
        let mut sources = HashSet::new();
        let mut problem = None;
        // Without rights the file fails later, with the reason; nothing inside may be readable then.
        let rights = self.pipeline.rules.resolve(&item.source, &Metadata::new(), sidecar).ok();
        let expanded = self.pipeline.parser.expand(file, &mut |child| {
            let Some(rights) = &rights else { return ControlFlow::Break(()) };
            if emit(Outcome::FoundInside).is_break() {
                return ControlFlow::Break(());
            }
            let source = child_source(&item.source, &child.path);
            let outcome = self.prepare_child(item, &source, child, rights);
            sources.insert(source);
            match outcome {
                Ok(outcome) => emit(outcome),
                Err(error) => {
                    problem = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = problem {
            return Err(error);
        }
        let own = match expanded {
            Ok(None) => Ok(None),
            Ok(Some(expansion)) if expansion.has_own_text => {
                Ok(Some(TextContainer { expansion: Ok(expansion) }))
            }
            Ok(Some(expansion)) => Err(ParseError::Container { media_type: expansion.media_type }),
            Err(error) if adit_parse::has_own_text(file) => Ok(Some(TextContainer { expansion: Err(error) })),
            Err(error) => Err(error),
        };
        Ok((own, Inside::Sources(sources)))
    }

    /// Parses the file's own words. Attachments that could not be unpacked make it partial, not failed.
    pub(super) fn parse(
        &self,
        item: &SourceItem,
        file: SourceFile<'_>,
        container: Option<&TextContainer>,
    ) -> Result<ParsedDocument, Setback> {
        let _ = item;
        let mut parsed = self
            .pipeline
            .parser
            .parse(file)
            .map_err(|error| Setback::from_parse(&error, adit_parse::detect_media_type(file)))?;
        if let Some(Err(error)) = container.map(|container| &container.expansion) {
            parsed.coverage.warnings.push(format!("{UNREAD_INSIDE}: {error}"));
        }
        Ok(parsed)
    }

    fn prepare_child(
        &self,
        parent: &SourceItem,
        source: &str,
        child: ChildFile,
        inherited: &DocumentRights,
    ) -> Result<Outcome, IngestError> {
        let item = SourceItem {
            source: source.to_owned(),
            path: parent.path.clone(),
            size_bytes: child.content.as_ref().map_or(0, |bytes| bytes.len() as u64),
            modified_unix_ms: child.modified_unix_ms.or(parent.modified_unix_ms),
        };
        let bytes = match child.content {
            Ok(bytes) => bytes,
            Err(error) => {
                let file = SourceFile { name: source, bytes: &[] };
                let setback = Setback::from_parse(&error, adit_parse::detect_media_type(file));
                return Ok(self.without_text(&item, String::new(), setback, Some(inherited.clone())));
            }
        };
        // The inherited rights are part of what was committed, as a sidecar is for a file.
        let hash = self.content_hash(&item, &bytes, &format!("{inherited:?}"));
        if let Some(known) = self.known.same_content(source, &hash)
            && !matches!(known.state, DocumentState::Failed { .. })
        {
            return Ok(Outcome::Unchanged { source: source.to_owned(), state: known.state.clone() });
        }
        let mut parsed = match self.parse(&item, SourceFile { name: source, bytes: &bytes }, None) {
            Ok(parsed) => parsed,
            Err(setback) => return Ok(self.without_text(&item, hash, setback, Some(inherited.clone()))),
        };
        match self.child_rights(source, &mut parsed, inherited) {
            Ok(rights) => self.cut(&item, hash, parsed, rights),
            Err(cause) => {
                let setback = Setback { media_type: parsed.media_type, ..Setback::rights(cause) };
                let nobody = DocumentRights { access: AccessControl::Only(Vec::new()), ..inherited.clone() };
                Ok(self.without_text(&item, hash, setback, Some(nobody)))
            }
        }
    }

    /// A document inside a file belongs to the file's tenant. What it says of itself, and a rule for its
    /// own name, can only take readers away: whoever sent an attachment must not choose who reads it.
    fn child_rights(
        &self,
        source: &str,
        parsed: &mut ParsedDocument,
        inherited: &DocumentRights,
    ) -> Result<DocumentRights, String> {
        let own = self.pipeline.rules.resolve(source, &parsed.metadata, None)?;
        let names_tenant = parsed.metadata.keys().any(|key| key.eq_ignore_ascii_case("tenant"));
        if names_tenant && own.tenant != inherited.tenant {
            parsed
                .coverage
                .warnings
                .push("it names a tenant, but belongs to the tenant of the file it is in".to_owned());
        }
        let mut metadata = inherited.metadata.clone();
        metadata.extend(own.metadata);
        let access = both(&inherited.access, own.access);
        Ok(DocumentRights { tenant: inherited.tenant.clone(), access, metadata })
    }
}

/// Begins the warning of a mail whose attachments could not be unpacked; such a document is partial.
pub(super) const UNREAD_INSIDE: &str = "the files in it were not all read";

/// Those whom both lists permit.
fn both(outer: &AccessControl, inner: AccessControl) -> AccessControl {
    match (outer, inner) {
        (AccessControl::Tenant, inner) => inner,
        (outer, AccessControl::Tenant) => outer.clone(),
        (AccessControl::Only(outer), AccessControl::Only(inner)) => {
            AccessControl::Only(inner.into_iter().filter(|one| outer.contains(one)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use adit_core::Principal;

    use super::*;

    fn only(names: &[&str]) -> AccessControl {
        AccessControl::Only(names.iter().map(|name| Principal((*name).to_owned())).collect())
    }

    #[test]
    fn a_document_inside_never_has_more_readers_than_its_file() {
        assert_eq!(both(&AccessControl::Tenant, only(&["a"])), only(&["a"]));
        assert_eq!(both(&only(&["a"]), AccessControl::Tenant), only(&["a"]));
        assert_eq!(both(&only(&["a", "b"]), only(&["b", "c"])), only(&["b"]));
        assert_eq!(both(&only(&[]), only(&["b"])), only(&[]));
    }
}
