use super::similarity::SimilarityMatrix;

/// Groups `0..size` by agglomeration with average linkage: the two groups whose members are on average most
/// alike are joined until none are alike by 1 or more. Groups and members are in rising order.
///
/// The average is kept by the update of Lance and Williams (1967); a group remembers its nearest, so the
/// work is about `size` squared. The same similarities give the same groups; of equal pairs the first is joined.
#[must_use]
pub fn cluster(size: usize, similarity: impl Fn(usize, usize) -> f32) -> Vec<Vec<usize>> {
    let mut state = Agglomeration::new(size, similarity);
    while let Some((kept, joined)) = state.nearest_pair() {
        state.join(kept, joined);
    }
    state.groups.into_iter().flatten().collect()
}

struct Agglomeration {
    matrix: SimilarityMatrix,
    /// Members of each living group, at the place of its first member.
    groups: Vec<Option<Vec<usize>>>,
    /// For each living group the most similar one behind it, if that is similar enough.
    nearest: Vec<Option<(usize, f32)>>,
}

impl Agglomeration {
    fn new(size: usize, similarity: impl Fn(usize, usize) -> f32) -> Self {
        let matrix = SimilarityMatrix::new(size, similarity);
        let groups = (0..size).map(|member| Some(vec![member])).collect();
        let mut state = Self { matrix, groups, nearest: vec![None; size] };
        (0..size).for_each(|group| state.look_around(group));
        state
    }

    fn is_alive(&self, group: usize) -> bool {
        self.groups.get(group).is_some_and(Option::is_some)
    }

    fn members(&self, group: usize) -> usize {
        self.groups.get(group).and_then(Option::as_ref).map_or(0, Vec::len)
    }

    fn look_around(&mut self, group: usize) {
        let mut best: Option<(usize, f32)> = None;
        if self.is_alive(group) {
            for other in group + 1..self.groups.len() {
                let similarity = self.matrix.get(group, other);
                if similarity >= 1.0 && self.is_alive(other) && best.is_none_or(|(_, most)| similarity > most)
                {
                    best = Some((other, similarity));
                }
            }
        }
        if let Some(nearest) = self.nearest.get_mut(group) {
            *nearest = best;
        }
    }

    fn nearest_pair(&self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize, f32)> = None;
        for (group, nearest) in self.nearest.iter().enumerate() {
            if let Some((other, similarity)) = *nearest
                && best.is_none_or(|(_, _, most)| similarity > most)
            {
                best = Some((group, other, similarity));
            }
        }
        best.map(|(group, other, _)| (group, other))
    }

    /// Takes `joined` into `kept`, which stands before it.
    fn join(&mut self, kept: usize, joined: usize) {
        let (of_kept, of_joined) = (self.members(kept) as f32, self.members(joined) as f32);
        let taken = self.groups.get_mut(joined).and_then(Option::take).unwrap_or_default();
        if let Some(Some(group)) = self.groups.get_mut(kept) {
            group.extend(taken);
            group.sort_unstable();
        }
        for other in 0..self.groups.len() {
            if other != kept && self.is_alive(other) {
                let sum = of_kept * self.matrix.get(kept, other) + of_joined * self.matrix.get(joined, other);
                self.matrix.set(kept, other, sum / (of_kept + of_joined));
            }
        }
        // Only these may have another nearest now: the two, and whoever stands before one of them.
        for group in 0..=joined {
            self.look_around_if_touched(group, kept, joined);
        }
    }

    fn look_around_if_touched(&mut self, group: usize, kept: usize, joined: usize) {
        let points_at = self.nearest.get(group).copied().flatten().map(|(other, _)| other);
        let lost = points_at.is_some_and(|other| other == kept || other == joined);
        if group == kept || group == joined || lost {
            self.look_around(group);
        } else if group < kept && self.is_alive(group) {
            let similarity = self.matrix.get(group, kept);
            let current = self.nearest.get(group).copied().flatten();
            let is_better =
                current.is_none_or(|(other, most)| similarity > most || (similarity == most && kept < other));
            if similarity >= 1.0
                && is_better
                && let Some(nearest) = self.nearest.get_mut(group)
            {
                *nearest = Some((kept, similarity));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook: all pairs of members, averaged anew at every step.
    fn naive(size: usize, similarity: impl Fn(usize, usize) -> f32) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = (0..size).map(|member| vec![member]).collect();
        loop {
            let mut best = None;
            for left in 0..groups.len() {
                for right in left + 1..groups.len() {
                    let pairs = groups[left].iter().flat_map(|a| groups[right].iter().map(move |b| (*a, *b)));
                    let sum: f64 = pairs.map(|(a, b)| f64::from(similarity(a, b))).sum();
                    let mean = sum / (groups[left].len() * groups[right].len()) as f64;
                    if mean >= 1.0 && best.is_none_or(|(_, _, most)| mean > most) {
                        best = Some((left, right, mean));
                    }
                }
            }
            let Some((left, right, _)) = best else { return groups };
            let joined = groups.remove(right);
            groups[left].extend(joined);
            groups[left].sort_unstable();
        }
    }

    #[test]
    fn two_clouds_and_a_loner() {
        let places: [f32; 6] = [0.0, 10.0, 0.1, 10.1, 50.0, 0.2];
        let groups = cluster(6, |a, b| 2.0 - (places[a] - places[b]).abs());
        assert_eq!(groups, [vec![0, 2, 5], vec![1, 3], vec![4]]);
        assert!(cluster(0, |_, _| 2.0).is_empty());
        assert_eq!(cluster(3, |_, _| f32::NAN), [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn a_chain_does_not_run_through() {
        let groups = cluster(6, |a, b| if a.abs_diff(b) == 1 { 1.1 } else { 0.0 });
        assert!(groups.iter().all(|group| group.len() == 2), "{groups:?}");
    }

    proptest! {
        #[test]
        fn equals_the_textbook(values in proptest::collection::vec(0.3f32..2.0, 66), size in 0usize..12) {
            let at = |a: usize, b: usize| {
                let (low, high) = (a.min(b), a.max(b));
                values[high * (high - 1) / 2 + low]
            };
            prop_assert_eq!(cluster(size, at), naive(size, at));
        }
    }
}
