use adit_core::Passage;

/// What the model has been shown: the only passages that its answer may cite.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    passages: Vec<Passage>,
    /// Whether any text of a document, or of anything else outside the program, was shown.
    pub(crate) saw_untrusted: bool,
    sources: Vec<String>,
}

impl Evidence {
    /// Adds passages; of one that is there already, the longer words stay.
    pub(crate) fn add(&mut self, passages: &[Passage]) {
        for passage in passages {
            self.saw_untrusted = true;
            if !self.sources.contains(&passage.source) {
                self.sources.push(passage.source.clone());
            }
            match self.passages.iter_mut().find(|known| known.id == passage.id) {
                Some(known) if known.text.len() < passage.text.len() => *known = passage.clone(),
                Some(_) => {}
                None => self.passages.push(passage.clone()),
            }
        }
    }

    /// Where the passages come from, each source once.
    pub(crate) fn sources(&self) -> &[String] {
        &self.sources
    }

    pub(crate) fn passages(&self) -> &[Passage] {
        &self.passages
    }
}
