use serde::{Deserialize, Serialize};

/// One place of a tree. Children stand after their parent, so a walk always ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Rows with `feature <= threshold` go left.
    Split {
        /// Position of the feature.
        feature: u32,
        /// Largest value on the left.
        threshold: f32,
        /// Position of the left child.
        left: u32,
        /// Position of the right child.
        right: u32,
    },
    /// What the tree adds to the score.
    Leaf {
        /// Learning rate included.
        value: f64,
    },
}

/// A regression tree; its root stands first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    /// The value of the leaf that a row comes to. A row that is too short has 0 for what is missing.
    #[must_use]
    pub fn value(&self, row: &[f32]) -> f64 {
        let mut at = 0_u32;
        for _ in 0..self.nodes.len() {
            match self.nodes.get(at as usize) {
                Some(Node::Split { feature, threshold, left, right }) => {
                    let value = row.get(*feature as usize).copied().unwrap_or_default();
                    at = if value <= *threshold { *left } else { *right };
                }
                Some(Node::Leaf { value }) => return *value,
                None => return 0.0,
            }
        }
        0.0
    }

    /// What is wrong with a tree that was read from a file.
    pub(crate) fn problem(&self, features: usize) -> Option<String> {
        if self.nodes.is_empty() {
            return Some("a tree has no node".to_owned());
        }
        for (position, node) in self.nodes.iter().enumerate() {
            let is_sound = match node {
                Node::Leaf { value } => value.is_finite(),
                Node::Split { feature, threshold, left, right } => {
                    let is_child = |child: u32| (position + 1..self.nodes.len()).contains(&(child as usize));
                    (*feature as usize) < features
                        && threshold.is_finite()
                        && is_child(*left)
                        && is_child(*right)
                }
            };
            if !is_sound {
                return Some(format!("node {position} of a tree is wrong"));
            }
        }
        None
    }
}
