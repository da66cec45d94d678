use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A child that prints nothing for so long hangs, and the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The moment of the kill. It counts from the first whole line the child prints, so that the time a
/// program needs to start does not decide where it dies.
#[derive(Debug, Clone, Copy)]
pub enum KillWhen {
    /// After a delay.
    After(Duration),
    /// As soon as it has printed so many whole lines.
    Lines(usize),
}

/// What was left of a killed child.
#[derive(Debug)]
pub struct KilledProcess {
    /// Whole lines of its standard output, without the line end; what it had acknowledged.
    pub lines: Vec<String>,
    /// Its standard error.
    pub stderr: String,
    /// How it ended.
    pub status: ExitStatus,
}

impl KilledProcess {
    /// Whether the signal ended it; `false` when it was done before.
    #[must_use]
    pub fn was_killed(&self) -> bool {
        self.status.code().is_none()
    }
}

/// Starts `command`, waits for the moment, ends it with SIGKILL (no handler, no flush) and collects
/// what it had printed. Only this child is killed; one that spawns others must be prepared for it.
///
/// # Panics
/// When the child cannot be started or hangs without printing.
#[must_use]
pub fn run_and_kill(command: &mut Command, when: KillWhen) -> KilledProcess {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command to be killed must start");
    let lines = read_lines(child.stdout.take().unwrap());
    let stderr = read_all(child.stderr.take().unwrap());
    let mut seen = Vec::new();
    let waited = wait_for(&lines, when, &mut seen);
    child.kill().expect("a child can be killed");
    let status = child.wait().expect("a child can be waited for");
    // What it printed before it died, and the kill had not let us read yet, was acknowledged too.
    seen.extend(lines.iter());
    let stderr = stderr.join().unwrap();
    assert!(waited, "the command printed nothing for {PATIENCE:?}; its standard error:\n{stderr}");
    KilledProcess { lines: seen, stderr, status }
}

/// Kills a process in `rounds` rounds, each after a random delay of up to `longest`. The seed is
/// printed (and taken from `ADIT_CRASH_SEED` if that is set), so that a failure can be tried again.
pub fn crash_rounds(
    rounds: usize,
    longest: Duration,
    mut start: impl FnMut(usize) -> Command,
    mut check: impl FnMut(usize, KilledProcess),
) {
    let seed = std::env::var("ADIT_CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(rand::random);
    eprintln!("ADIT_CRASH_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for round in 0..rounds {
        let delay = longest.mul_f64(random.random::<f64>());
        let killed = run_and_kill(&mut start(round), KillWhen::After(delay));
        eprintln!("round {round}: killed {delay:?} after its first line, {} lines", killed.lines.len());
        check(round, killed);
    }
}

/// Whether the moment came (or the child ended by itself) before patience ran out.
fn wait_for(lines: &Receiver<String>, when: KillWhen, seen: &mut Vec<String>) -> bool {
    match lines.recv_timeout(PATIENCE) {
        Ok(line) => seen.push(line),
        Err(RecvTimeoutError::Timeout) => return false,
        Err(RecvTimeoutError::Disconnected) => return true,
    }
    let first = Instant::now();
    loop {
        let wait = match when {
            KillWhen::Lines(wanted) if seen.len() >= wanted => return true,
            KillWhen::Lines(_) => PATIENCE,
            KillWhen::After(delay) => match delay.checked_sub(first.elapsed()) {
                Some(rest) => rest,
                None => return true,
            },
        };
        match lines.recv_timeout(wait) {
            Ok(line) => seen.push(line),
            Err(RecvTimeoutError::Timeout) => return matches!(when, KillWhen::After(_)),
            Err(RecvTimeoutError::Disconnected) => return true,
        }
    }
}

fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            // A line without its end was cut off by the kill.
            if line.pop() != Some(b'\n') || sender.send(String::from_utf8_lossy(&line).into_owned()).is_err()
            {
                break;
            }
            line.clear();
        }
    });
    receiver
}

fn read_all(mut output: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(output.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn keeps_the_whole_lines_of_a_killed_process() {
        let killed =
            run_and_kill(&mut shell("echo one; echo two; printf half; exec sleep 100"), KillWhen::Lines(2));
        assert!(killed.was_killed());
        assert_eq!(killed.lines, ["one", "two"]);
    }

    #[test]
    fn a_process_that_ends_by_itself_is_not_counted_as_killed() {
        let ended = run_and_kill(&mut shell("echo done; echo why >&2"), KillWhen::Lines(5));
        assert!(!ended.was_killed());
        assert_eq!(
            (ended.lines.as_slice(), ended.stderr.as_str()),
            (["done".to_owned()].as_slice(), "why\n")
        );
    }
}
