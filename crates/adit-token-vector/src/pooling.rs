//! Similar tokens of one chunk share a row (Clavie, Chaffin and Adams 2024, "Reducing the Footprint of
//! Multi-Vector Retrieval with Minimal Performance Impact via Token Pooling"): Ward's clustering, then the
//! mean of each cluster.
//!
//! The clusters are found by the nearest-neighbour chain (Murtagh 1983), which gives Ward's dendrogram in
//! time quadratic in the tokens; distances follow Lance and Williams.

/// Cluster of each token, numbered from 0 in the order of their first tokens; `clusters` of them, or one a
/// token where there are not more tokens. `vectors` is `[tokens, dimension]`.
pub(crate) fn ward_clusters(vectors: &[f32], dimension: usize, clusters: usize) -> Vec<usize> {
    let tokens = vectors.len() / dimension.max(1);
    if tokens <= clusters || clusters == 0 {
        return (0..tokens).collect();
    }
    let mut merges = dendrogram(Distances::between(vectors, dimension, tokens), tokens);
    merges.sort_by(|left, right| left.distance.total_cmp(&right.distance));
    let mut parents: Vec<usize> = (0..tokens).collect();
    for merge in merges.iter().take(tokens - clusters) {
        let (left, right) = (root(&parents, merge.left), root(&parents, merge.right));
        let (smaller, larger) = (left.min(right), left.max(right));
        if let Some(parent) = parents.get_mut(larger) {
            *parent = smaller;
        }
    }
    number_by_first_token(&parents)
}

/// The mean vector of every cluster, `[clusters, dimension]`.
pub(crate) fn cluster_means(vectors: &[f32], dimension: usize, clusters: &[usize]) -> Vec<f32> {
    let count = clusters.iter().max().map_or(0, |last| last + 1);
    let mut means = vec![0.0_f32; count * dimension];
    let mut sizes = vec![0_u32; count];
    for (row, cluster) in vectors.chunks_exact(dimension.max(1)).zip(clusters) {
        let mean = means.chunks_exact_mut(dimension.max(1)).nth(*cluster);
        if let (Some(mean), Some(size)) = (mean, sizes.get_mut(*cluster)) {
            *size += 1;
            mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
    }
    for (mean, size) in means.chunks_exact_mut(dimension.max(1)).zip(&sizes) {
        mean.iter_mut().for_each(|sum| *sum /= (*size).max(1) as f32);
    }
    means
}

/// Two clusters, each named by one of its tokens, and how far apart they were.
struct Merge {
    left: usize,
    right: usize,
    distance: f32,
}

/// Squared distances between all clusters, a full square matrix; Ward's distance is twice the growth of the
/// inner sum of squares.
struct Distances {
    values: Vec<f32>,
    tokens: usize,
}

impl Distances {
    fn between(vectors: &[f32], dimension: usize, tokens: usize) -> Self {
        let rows: Vec<&[f32]> = vectors.chunks_exact(dimension.max(1)).collect();
        let squares: Vec<f32> = rows.iter().map(|row| dot(row, row)).collect();
        let mut distances = Self { values: vec![0.0; tokens * tokens], tokens };
        for (left, (left_row, left_square)) in rows.iter().zip(&squares).enumerate() {
            for (right, (right_row, right_square)) in rows.iter().zip(&squares).enumerate().take(left) {
                let distance = (left_square + right_square - 2.0 * dot(left_row, right_row)).max(0.0);
                distances.set(left, right, distance);
            }
        }
        distances
    }

    fn row(&self, cluster: usize) -> &[f32] {
        self.values.get(cluster * self.tokens..(cluster + 1) * self.tokens).unwrap_or_default()
    }

    fn get(&self, left: usize, right: usize) -> f32 {
        self.row(left).get(right).copied().unwrap_or(f32::INFINITY)
    }

    fn set(&mut self, left: usize, right: usize, distance: f32) {
        for (row, column) in [(left, right), (right, left)] {
            if let Some(value) = self.values.get_mut(row * self.tokens + column) {
                *value = distance;
            }
        }
    }
}

/// All merges up to one cluster; a merged cluster keeps the name of its second part.
fn dendrogram(mut distances: Distances, tokens: usize) -> Vec<Merge> {
    let mut sizes = vec![1.0_f32; tokens];
    let mut merges = Vec::with_capacity(tokens.saturating_sub(1));
    let mut chain: Vec<usize> = Vec::new();
    while merges.len() + 1 < tokens {
        let Some(&last) = chain.last() else {
            chain.extend(sizes.iter().position(|size| *size > 0.0));
            continue;
        };
        let before = chain.len().checked_sub(2).and_then(|at| chain.get(at)).copied();
        let (nearest, distance) = nearest(&distances, &sizes, last, before);
        if before != Some(nearest) {
            chain.push(nearest);
            continue;
        }
        chain.truncate(chain.len() - 2);
        merges.push(Merge { left: last, right: nearest, distance });
        join(&mut distances, &mut sizes, last, nearest, distance);
    }
    merges
}

/// The living cluster nearest to `cluster`; among equally near ones the one that came before in the chain,
/// without which the chain could turn in a circle.
fn nearest(distances: &Distances, sizes: &[f32], cluster: usize, before: Option<usize>) -> (usize, f32) {
    let mut best = before.map_or((cluster, f32::INFINITY), |before| (before, distances.get(cluster, before)));
    for (other, (distance, size)) in distances.row(cluster).iter().zip(sizes).enumerate() {
        if *size > 0.0 && other != cluster && (*distance < best.1 || best.0 == cluster) {
            best = (other, *distance);
        }
    }
    best
}

fn join(distances: &mut Distances, sizes: &mut [f32], gone: usize, kept: usize, distance: f32) {
    let size = |cluster: usize| sizes.get(cluster).copied().unwrap_or(0.0);
    let (gone_size, kept_size) = (size(gone), size(kept));
    for other in 0..distances.tokens {
        let other_size = size(other);
        if other == gone || other == kept || other_size == 0.0 {
            continue;
        }
        let (to_gone, to_kept) = (distances.get(gone, other), distances.get(kept, other));
        let joined = ((gone_size + other_size) * to_gone + (kept_size + other_size) * to_kept
            - other_size * distance)
            / (gone_size + kept_size + other_size);
        distances.set(kept, other, joined);
    }
    if let Some(size) = sizes.get_mut(gone) {
        *size = 0.0;
    }
    if let Some(size) = sizes.get_mut(kept) {
        *size = gone_size + kept_size;
    }
}

fn root(parents: &[usize], token: usize) -> usize {
    let mut at = token;
    while let Some(&parent) = parents.get(at)
        && parent != at
    {
        at = parent;
    }
    at
}

fn number_by_first_token(parents: &[usize]) -> Vec<usize> {
    let mut numbers: Vec<Option<usize>> = vec![None; parents.len()];
    let mut next = 0;
    let mut clusters = Vec::with_capacity(parents.len());
    for token in 0..parents.len() {
        let number = numbers.get_mut(root(parents, token)).map_or(0, |number| {
            *number.get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        });
        clusters.push(number);
    }
    clusters
}

/// Sixteen running sums: the compiler may vectorise these, one alone it must not.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<16>();
    let (right_blocks, right_rest) = right.as_chunks::<16>();
    let mut sums = [0.0_f32; 16];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    sums.iter().sum::<f32>() + left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ward's criterion by its definition: at every step the two clusters whose union adds least to the inner
    /// sum of squares.
    fn greedy(vectors: &[f32], dimension: usize, clusters: usize) -> Vec<usize> {
        let rows: Vec<&[f32]> = vectors.chunks_exact(dimension).collect();
        let mut groups: Vec<Vec<usize>> = (0..rows.len()).map(|token| vec![token]).collect();
        let inner = |group: &[usize]| {
            let mean = |at: usize| {
                group.iter().map(|token| f64::from(rows[*token][at])).sum::<f64>() / group.len() as f64
            };
            (0..dimension)
                .map(|at| {
                    group.iter().map(|token| (f64::from(rows[*token][at]) - mean(at)).powi(2)).sum::<f64>()
                })
                .sum::<f64>()
        };
        while groups.len() > clusters {
            let mut best = (f64::INFINITY, 0, 0);
            for left in 0..groups.len() {
                for right in left + 1..groups.len() {
                    let union = [groups[left].as_slice(), &groups[right]].concat();
                    let growth = inner(&union) - inner(&groups[left]) - inner(&groups[right]);
                    if growth < best.0 {
                        best = (growth, left, right);
                    }
                }
            }
            let gone = groups.remove(best.2);
            groups[best.1].extend(gone);
        }
        let mut numbers = vec![0; rows.len()];
        groups.sort_by_key(|group| group.iter().min().copied());
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|token| numbers[*token] = number);
        }
        numbers
    }

    #[test]
    fn pairs_that_lie_together_are_joined() {
        // Made with scipy 1.14: fcluster(linkage(x, "ward"), 3, "maxclust") groups {0, 3}, {1, 4}, {2}.
        let vectors = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.9, 0.1, 0.1, 0.9];
        let clusters = ward_clusters(&vectors, 2, 3);
        assert_eq!(clusters, [0, 1, 2, 0, 1]);
        // numpy: x[[0, 3]].mean(0), x[[1, 4]].mean(0), x[2].
        let means = cluster_means(&vectors, 2, &clusters);
        let expected = [0.95, 0.05, 0.05, 0.95, -1.0, 0.0];
        assert!(
            means.iter().zip(expected).all(|(mean, expected)| (mean - expected).abs() < 1e-6),
            "{means:?}"
        );
    }

    #[test]
    fn few_tokens_and_equal_tokens_are_no_trouble() {
        assert!(ward_clusters(&[], 3, 2).is_empty());
        assert_eq!(ward_clusters(&[1.0, 2.0], 1, 5), [0, 1]);
        let same = vec![0.5_f32; 40];
        let clusters = ward_clusters(&same, 4, 3);
        assert_eq!((clusters.len(), clusters.iter().max()), (10, Some(&2)));
    }

    proptest! {
        #[test]
        fn the_chain_finds_what_the_definition_says(
            vectors in prop::collection::vec(-1.0_f32..1.0, 3 * 12),
            clusters in 1_usize..12,
        ) {
            prop_assert_eq!(ward_clusters(&vectors, 3, clusters), greedy(&vectors, 3, clusters));
        }
    }
}
