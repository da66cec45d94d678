/// Reads an order of `count` passages out of a model's answer, such as `[2] > [1] > [3]`: positions from 0.
///
/// Models repeat numbers, leave some out, and write words around them. A number that is repeated or out of
/// range is skipped, and what is left out follows in its old order (as RankGPT does), so the result is always
/// a permutation. None where the answer holds no number that could be meant.
pub(super) fn read(answer: &str, count: usize) -> Option<Vec<usize>> {
    let bracketed = numbers(answer, true);
    let numbers = if bracketed.is_empty() { numbers(answer, false) } else { bracketed };
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    for number in numbers {
        let position = number.wrapping_sub(1);
        if let Some(slot @ false) = seen.get_mut(position) {
            *slot = true;
            order.push(position);
        }
    }
    if order.is_empty() {
        return None;
    }
    order.extend(seen.iter().enumerate().filter(|(_, seen)| !**seen).map(|(position, _)| position));
    Some(order)
}

/// Numbers in square brackets, or all of them.
fn numbers(answer: &str, bracketed: bool) -> Vec<usize> {
    let parts = answer.split(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty());
    let start = |part: &str| part.as_ptr() as usize - answer.as_ptr() as usize;
    parts
        .filter(|part| {
            let (before, after) = (answer.get(..start(part)), answer.get(start(part) + part.len()..));
            !bracketed
                || (before.is_some_and(|text| text.trim_end().ends_with(['[', ',']))
                    && after.is_some_and(|text| text.trim_start().starts_with([']', ','])))
        })
        .filter_map(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_are_read_whatever_stands_around_them() {
        for (answer, order) in [
            ("[2] > [1] > [3]", vec![1, 0, 2]),
            ("The 3 passages in order: [3] > [2]", vec![2, 1, 0]),
            ("[3, 1, 2]", vec![2, 0, 1]),
            ("3 > 1 > 2", vec![2, 0, 1]),
            ("[2] > [2] > [9] > [0]", vec![1, 0, 2]),
        ] {
            assert_eq!(read(answer, 3), Some(order), "{answer}");
        }
        for nothing in ["", "I cannot.", "[9]", "[99999999999999999999999]"] {
            assert_eq!(read(nothing, 3), None, "{nothing}");
        }
    }

    proptest! {
        /// Whatever a model writes, the result is a permutation or nothing.
        #[test]
        fn the_result_is_a_permutation(answer in "([0-9]{1,2}|\\[[0-9]{1,2}\\]|[ >,a-z\u{e9}\\[\\]]){0,30}", count in 0_usize..25) {
            if let Some(mut order) = read(&answer, count) {
                order.sort_unstable();
                prop_assert_eq!(order, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
