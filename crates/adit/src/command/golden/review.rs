use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use adit_eval::{GoldenItem, GoldenSet};
use serde::Serialize;

use crate::arguments::GoldenReviewArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

const KEYS: &str =
    "Enter or k: keep    d: drop    c NAME: set the category    q: quit, to go on another time";

/// What `golden review --json` prints.
#[derive(Serialize, Default)]
struct Reviewed {
    file: String,
    kept: usize,
    dropped: usize,
    recategorised: usize,
    remaining: usize,
}

/// What the reviewer said about one question.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    Keep,
    Drop,
    Category(String),
    Quit,
}

/// Every decision is on disk before the next question is shown: first the set, then the mark that the
/// question was looked at. So a review can be broken off anywhere.
pub(super) fn run(
    home: Option<&Path>,
    arguments: &GoldenReviewArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let file = super::file(home, &arguments.golden)?;
    let mut set = GoldenSet::read(&file)?;
    let mut marks = Marks::open(&file, arguments.again)?;
    let mut result = Reviewed { file: file.display().to_string(), ..Reviewed::default() };
    let mut input = std::io::stdin().lock();
    let open: Vec<String> =
        set.items.iter().map(|item| item.id.clone()).filter(|id| !marks.seen.contains(id)).collect();
    if !open.is_empty() {
        note(KEYS);
    }
    for (index, id) in open.iter().enumerate() {
        result.remaining = open.len() - index;
        let Some(position) = set.items.iter().position(|item| item.id == *id) else { continue };
        if let Some(item) = set.items.get(position) {
            note(&show(item, index + 1, open.len()));
        }
        match decide(&mut input)? {
            Decision::Quit => break,
            Decision::Keep => result.kept += 1,
            Decision::Drop => {
                set.items.remove(position);
                set.write(&file)?;
                result.dropped += 1;
            }
            Decision::Category(name) => {
                if let Some(item) = set.items.get_mut(position) {
                    item.category = Some(name);
                }
                set.write(&file)?;
                result.recategorised += 1;
            }
        }
        marks.add(id)?;
        result.remaining -= 1;
    }
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn show(item: &GoldenItem, number: usize, count: usize) -> String {
    let mut text = format!("\n[{number}/{count}] {}\n", item.question);
    if !item.answerable {
        text += "  unanswerable: nothing in the collection should answer it\n";
    }
    for span in &item.spans {
        text += &format!("  {}: {}\n", span.source, span.quote.as_deref().unwrap_or("(the whole document)"));
    }
    if let Some(answer) = &item.expected_answer {
        text += &format!("  answer: {answer}\n");
    }
    text + &format!("  category: {}", item.category.as_deref().unwrap_or("(none)"))
}

/// Asks until the line can be understood; the end of the input quits.
fn decide(input: &mut dyn BufRead) -> Result<Decision, Failure> {
    loop {
        let mut line = String::new();
        let read = input
            .read_line(&mut line)
            .map_err(|error| Failure::world(format!("cannot read what you type: {error}")))?;
        if read == 0 {
            return Ok(Decision::Quit);
        }
        match understand(line.trim()) {
            Some(decision) => return Ok(decision),
            None => note(KEYS),
        }
    }
}

fn understand(line: &str) -> Option<Decision> {
    match line.split_once(char::is_whitespace) {
        Some(("c" | "category", name)) => Some(Decision::Category(name.trim().to_owned())),
        Some(_) => None,
        None => match line {
            "" | "k" | "keep" => Some(Decision::Keep),
            "d" | "drop" => Some(Decision::Drop),
            "q" | "quit" => Some(Decision::Quit),
            _ => None,
        },
    }
}

/// The ids that were looked at, one a line in a file beside the set.
struct Marks {
    path: PathBuf,
    seen: BTreeSet<String>,
}

impl Marks {
    fn open(golden: &Path, again: bool) -> Result<Self, Failure> {
        let mut name = golden.file_name().unwrap_or_default().to_owned();
        name.push(".reviewed");
        let path = golden.with_file_name(name);
        let world = |error: std::io::Error| Failure::world(error.to_string());
        if again && path.exists() {
            fs_err::remove_file(&path).map_err(world)?;
        }
        let text = if path.exists() { fs_err::read_to_string(&path).map_err(world)? } else { String::new() };
        Ok(Self { path, seen: text.lines().map(str::to_owned).collect() })
    }

    fn add(&mut self, id: &str) -> Result<(), Failure> {
        let appended = fs_err::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(format!("{id}\n").as_bytes()));
        self.seen.insert(id.to_owned());
        appended.map_err(|error| Failure::world(error.to_string()))
    }
}

fn describe(result: &Reviewed) -> String {
    let done = format!(
        "{}: {} kept, {} dropped, {} given a category",
        result.file, result.kept, result.dropped, result.recategorised
    );
    match result.remaining {
        0 => format!("{done}; every question was looked at (`--again` begins anew)"),
        remaining => format!("{done}; {remaining} to go: `adit golden review` goes on there"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_keys_and_words() {
        assert_eq!(understand(""), Some(Decision::Keep));
        assert_eq!(understand("d"), Some(Decision::Drop));
        assert_eq!(understand("c  by meaning"), Some(Decision::Category("by meaning".to_owned())));
        assert_eq!(understand("quit"), Some(Decision::Quit));
        assert_eq!(understand("drop it"), None);
        assert_eq!(understand("c"), None);
    }
}
