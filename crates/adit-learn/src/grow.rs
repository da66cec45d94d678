//! One tree, grown leaf-wise: the leaf whose best split gains most is split next.

use crate::bins::FeatureBins;
use crate::train::TrainingSettings;
use crate::tree::{Node, Tree};

/// The rows of all questions as bin numbers, feature by feature.
pub(crate) struct BinnedRows {
    pub(crate) bins: Vec<FeatureBins>,
    /// `[feature][row]`
    pub(crate) columns: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    first: f64,
    second: f64,
    rows: usize,
}

impl Sums {
    fn add(&mut self, first: f64, second: f64, rows: usize) {
        self.first += first;
        self.second += second;
        self.rows += rows;
    }

    fn less(self, other: Self) -> Self {
        Self {
            first: self.first - other.first,
            second: self.second - other.second,
            rows: self.rows.saturating_sub(other.rows),
        }
    }

    /// What the best single value for these rows lowers the loss by, times two.
    fn gain(self, l2: f64) -> f64 {
        self.first * self.first / (self.second + l2).max(f64::MIN_POSITIVE)
    }

    fn value(self, l2: f64) -> f64 {
        -self.first / (self.second + l2).max(f64::MIN_POSITIVE)
    }
}

#[derive(Debug, Clone, Copy)]
struct Split {
    feature: usize,
    bin: usize,
    threshold: f32,
    gain: f64,
}

struct Leaf {
    node: usize,
    rows: Vec<usize>,
    sums: Sums,
    split: Option<Split>,
}

/// Grows a tree over first and second derivatives, one a row. `None` when no split lowers the loss.
pub(crate) fn grow(
    data: &BinnedRows,
    first: &[f64],
    second: &[f64],
    settings: &TrainingSettings,
) -> Option<Tree> {
    let grower = Grower { data, first, second, settings };
    let root = grower.leaf(0, (0..first.len()).collect());
    root.split?;
    let mut nodes = vec![Node::Leaf { value: 0.0 }];
    let mut leaves = vec![root];
    while leaves.len() < settings.leaves {
        let gain = |leaf: &Leaf| leaf.split.map_or(f64::NEG_INFINITY, |split| split.gain);
        // Of equal gains the first leaf, as everywhere here.
        let mut best = 0;
        for (at, leaf) in leaves.iter().enumerate() {
            if leaves.get(best).is_some_and(|chosen| gain(leaf) > gain(chosen)) {
                best = at;
            }
        }
        let Some(split) = leaves.get(best).and_then(|leaf| leaf.split) else { break };
        let parent = leaves.remove(best);
        let (left_rows, right_rows) = grower.part(&parent.rows, split);
        let (left_node, right_node) = (nodes.len(), nodes.len() + 1);
        nodes.extend([Node::Leaf { value: 0.0 }; 2]);
        if let Some(node) = nodes.get_mut(parent.node) {
            *node = Node::Split {
                feature: narrowed(split.feature),
                threshold: split.threshold,
                left: narrowed(left_node),
                right: narrowed(right_node),
            };
        }
        leaves.insert(best, grower.leaf(left_node, left_rows));
        leaves.push(grower.leaf(right_node, right_rows));
    }
    for leaf in leaves {
        if let Some(node) = nodes.get_mut(leaf.node) {
            *node = Node::Leaf { value: leaf.sums.value(settings.l2) * settings.learning_rate };
        }
    }
    Some(Tree { nodes })
}

fn narrowed(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

struct Grower<'a> {
    data: &'a BinnedRows,
    first: &'a [f64],
    second: &'a [f64],
    settings: &'a TrainingSettings,
}

impl Grower<'_> {
    fn leaf(&self, node: usize, rows: Vec<usize>) -> Leaf {
        let mut sums = Sums::default();
        rows.iter().for_each(|row| sums.add(self.first_of(*row), self.second_of(*row), 1));
        let split = self.best_split(&rows, sums);
        Leaf { node, rows, sums, split }
    }

    fn first_of(&self, row: usize) -> f64 {
        self.first.get(row).copied().unwrap_or_default()
    }

    fn second_of(&self, row: usize) -> f64 {
        self.second.get(row).copied().unwrap_or_default()
    }

    fn best_split(&self, rows: &[usize], all: Sums) -> Option<Split> {
        let mut best: Option<Split> = None;
        for (feature, (bins, column)) in self.data.bins.iter().zip(&self.data.columns).enumerate() {
            let mut histogram = vec![Sums::default(); bins.count()];
            for row in rows {
                let bin = column.get(*row).map_or(0, |bin| usize::from(*bin));
                if let Some(sums) = histogram.get_mut(bin) {
                    sums.add(self.first_of(*row), self.second_of(*row), 1);
                }
            }
            let found = self.best_of_feature(feature, bins, &histogram, all);
            if let Some(found) = found
                && best.is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        best
    }

    /// From the highest border down; of equal gains the highest border counts.
    fn best_of_feature(
        &self,
        feature: usize,
        bins: &FeatureBins,
        histogram: &[Sums],
        all: Sums,
    ) -> Option<Split> {
        let TrainingSettings { l2, min_rows_in_leaf, min_hessian_in_leaf, .. } = *self.settings;
        let parent_gain = all.gain(l2);
        let is_large =
            |sums: Sums| sums.rows >= min_rows_in_leaf.max(1) && sums.second >= min_hessian_in_leaf;
        let mut right = Sums::default();
        let mut best: Option<Split> = None;
        for (bin, sums) in histogram.iter().enumerate().skip(1).rev() {
            right.add(sums.first, sums.second, sums.rows);
            let left = all.less(right);
            if !is_large(right) {
                continue;
            }
            if !is_large(left) {
                break;
            }
            let gain = left.gain(l2) + right.gain(l2) - parent_gain;
            let Some(threshold) = bins.threshold(bin - 1) else { continue };
            if gain > 1e-12 && best.is_none_or(|best| gain > best.gain) {
                best = Some(Split { feature, bin: bin - 1, threshold, gain });
            }
        }
        best
    }

    fn part(&self, rows: &[usize], split: Split) -> (Vec<usize>, Vec<usize>) {
        let column = self.data.columns.get(split.feature).map_or(&[][..], Vec::as_slice);
        rows.iter().partition(|row| column.get(**row).is_none_or(|bin| usize::from(*bin) <= split.bin))
    }
}
