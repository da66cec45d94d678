use std::collections::BTreeMap;

use super::file::GoldenSet;
use super::item::GoldenItem;

/// How a golden set is parted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitSettings {
    /// Wished share of the training part, 0 to 1.
    pub train_share: f64,
    /// Wished share of the development part; the rest is for the test.
    pub dev_share: f64,
    /// Whether no document may occur in two parts. Questions that share documents, directly or by way
    /// of others, then stay together, and the shares are kept less closely.
    pub document_disjoint: bool,
    /// Another number gives another split.
    pub seed: u64,
}

impl Default for SplitSettings {
    fn default() -> Self {
        Self { train_share: 0.6, dev_share: 0.2, document_disjoint: false, seed: 0 }
    }
}

/// The three parts; items keep their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldenSplit {
    /// To tune on.
    pub train: GoldenSet,
    /// To choose by.
    pub dev: GoldenSet,
    /// To report, looked at once.
    pub test: GoldenSet,
}

/// Parts `set` by hashes, so the same item lands in the same part every time and wherever it stands in
/// the file (when documents are kept apart, as long as no new item ties two groups together).
#[must_use]
pub fn split_golden(set: &GoldenSet, settings: &SplitSettings) -> GoldenSplit {
    let groups = settings.document_disjoint.then(|| DocumentGroups::new(set));
    let mut split = GoldenSplit::default();
    for item in &set.items {
        let group = groups.as_ref().and_then(|groups| groups.name_of(item));
        let key = group.unwrap_or(&item.id);
        let share = unit_hash(key, settings.seed);
        let part = if share < settings.train_share {
            &mut split.train
        } else if share < settings.train_share + settings.dev_share {
            &mut split.dev
        } else {
            &mut split.test
        };
        part.items.push(item.clone());
    }
    split
}

/// A number in 0..1 that depends on nothing but `key` and `seed`.
pub(super) fn unit_hash(key: &str, seed: u64) -> f64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(key.as_bytes());
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    // 53 bits are what a double holds.
    (u64::from_le_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Documents that questions tie together; each group goes by its alphabetically first source.
struct DocumentGroups<'a> {
    parent: BTreeMap<&'a str, &'a str>,
}

impl<'a> DocumentGroups<'a> {
    fn new(set: &'a GoldenSet) -> Self {
        let mut groups = Self { parent: BTreeMap::new() };
        for item in &set.items {
            let Some(first) = item.spans.first() else { continue };
            for span in &item.spans {
                groups.join(&first.source, &span.source);
            }
        }
        groups
    }

    fn name_of(&self, item: &GoldenItem) -> Option<&'a str> {
        item.spans.first().and_then(|span| self.root(&span.source))
    }

    /// The group of a source; `None` for one that no item names.
    fn root(&self, source: &str) -> Option<&'a str> {
        let mut root = *self.parent.get(source)?;
        while let Some(parent) = self.parent.get(root).copied()
            && parent != root
        {
            root = parent;
        }
        Some(root)
    }

    fn join(&mut self, one: &'a str, other: &'a str) {
        let (one, other) = (self.insert(one), self.insert(other));
        let (first, second) = if one <= other { (one, other) } else { (other, one) };
        self.parent.insert(second, first);
    }

    /// The group of `source`, known from now on. The path to it is shortened.
    fn insert(&mut self, source: &'a str) -> &'a str {
        let root = self.root(source).unwrap_or(source);
        self.parent.insert(source, root);
        root
    }
}
