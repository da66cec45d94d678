use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::fake_embedder::normalise;

/// One direction, uniform on the sphere.
#[must_use]
pub fn random_unit_vector(random: &mut StdRng, dimension: usize) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..dimension).map(|_| normal(random)).collect();
    normalise(&mut vector);
    vector
}

/// `[count, dimension]` vectors of length 1 around `clusters` random centres, the way embeddings of
/// real texts lie. `spread` is the length of the noise added to a centre of length 1: 0.0 repeats the
/// centres, 1.0 leaves a cosine of about 0.7 to them. Vector `i` belongs to cluster `i % clusters`.
#[must_use]
pub fn clustered_unit_vectors(
    count: usize,
    dimension: usize,
    clusters: usize,
    spread: f32,
    seed: u64,
) -> Vec<Vec<f32>> {
    let mut random = StdRng::seed_from_u64(seed);
    let centres: Vec<_> = (0..clusters.max(1)).map(|_| random_unit_vector(&mut random, dimension)).collect();
    (0..count).map(|i| unit_vector_near(&mut random, &centres[i % centres.len()], spread)).collect()
}

/// A vector of length 1 near `centre`, `spread` as in [`clustered_unit_vectors`].
#[must_use]
pub fn unit_vector_near(random: &mut StdRng, centre: &[f32], spread: f32) -> Vec<f32> {
    let noise = random_unit_vector(random, centre.len());
    let mut vector: Vec<f32> =
        centre.iter().zip(&noise).map(|(centre, noise)| centre + spread * noise).collect();
    normalise(&mut vector);
    vector
}

/// Box and Muller's transform (1958) of two uniform numbers.
fn normal(random: &mut StdRng) -> f32 {
    let radius = (-2.0 * f64::ln(1.0 - random.random::<f64>())).sqrt();
    (radius * (std::f64::consts::TAU * random.random::<f64>()).cos()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn clusters_hold_together_and_the_seed_decides() {
        let vectors = clustered_unit_vectors(40, 64, 4, 0.5, 7);
        assert!(vectors.iter().all(|vector| (dot(vector, vector) - 1.0).abs() < 1e-5));
        let inside: f32 = (0..36).map(|i| dot(&vectors[i], &vectors[i + 4])).sum::<f32>() / 36.0;
        let across: f32 = (0..36).map(|i| dot(&vectors[i], &vectors[i + 1])).sum::<f32>() / 36.0;
        assert!(inside > 0.6 && across < 0.4, "inside {inside}, across {across}");
        assert_eq!(vectors, clustered_unit_vectors(40, 64, 4, 0.5, 7));
        assert_ne!(vectors, clustered_unit_vectors(40, 64, 4, 0.5, 8));
    }
}
