//! Batches shared out among single-threaded pools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rten::ThreadPool;

/// Runs the inputs of these indices together on a pool.
type BatchRun<'a, T, E> = dyn Fn(&[usize], &Arc<ThreadPool>) -> Result<Vec<T>, E> + Sync + 'a;

/// What `run` gives for every index of `batches`, in the order of the indices; a batch's results stand in the
/// order of its indices. Two batches on two pools use two cores better than two threads inside one batch.
///
/// # Errors
/// The first error of a batch; `died` when a worker ended without an answer.
pub(crate) fn run_batches<T: Send, E: Send>(
    pools: &[Arc<ThreadPool>],
    batches: &[Vec<usize>],
    run: &BatchRun<'_, T, E>,
    died: fn(&str) -> E,
) -> Result<Vec<T>, E> {
    let expected: usize = batches.iter().map(Vec::len).sum();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(expected));
    let work = |pool: &Arc<ThreadPool>| -> Result<(), E> {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let values = run(batch, pool)?;
            results.lock().extend(batch.iter().copied().zip(values));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            pools.iter().take(batches.len()).map(|pool| scope.spawn(|| work(pool))).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(died("a worker panicked"))))
    })?;
    let mut results = results.into_inner();
    results.sort_unstable_by_key(|(index, _)| *index);
    if results.len() != expected {
        return Err(died("the model returned too few results"));
    }
    Ok(results.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools(count: usize) -> Vec<Arc<ThreadPool>> {
        (0..count).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect()
    }

    #[test]
    fn results_stand_in_the_order_of_the_indices() {
        let batches = vec![vec![4, 1], vec![0], vec![3, 2]];
        let run =
            |batch: &[usize], _: &Arc<ThreadPool>| Ok::<_, String>(batch.iter().map(|at| at * 10).collect());
        let results = run_batches(&pools(2), &batches, &run, str::to_owned).unwrap();
        assert_eq!(results, [0, 10, 20, 30, 40]);
    }

    #[test]
    fn an_error_and_a_missing_result_are_told() {
        let fails = |_: &[usize], _: &Arc<ThreadPool>| Err::<Vec<u8>, _>("no".to_owned());
        assert_eq!(run_batches(&pools(1), &[vec![0]], &fails, str::to_owned).unwrap_err(), "no");
        let forgets = |_: &[usize], _: &Arc<ThreadPool>| Ok::<Vec<u8>, _>(Vec::new());
        let told = run_batches(&pools(1), &[vec![0]], &forgets, str::to_owned).unwrap_err();
        assert!(told.contains("too few"));
    }
}
