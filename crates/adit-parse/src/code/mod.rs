//! Source code as text, with functions and types as its structure.
//!
//! What a chunker finds:
//! - The text is the file, line for line; only white space at its ends is gone.
//! - A function or method is exactly one [`BlockKind::Code`](adit_core::BlockKind) with its doc comment,
//!   attributes or decorators in front of it. Its section is its own, with the signature's keyword and name
//!   as heading (`fn parse`, `def load`, `run()`), which is no text of the document.
//! - A type or module that holds functions (`impl Display for Money`, `class Parser`) is a section; its
//!   functions' sections are inside it, so that the heading path of a method names its type. Lines of it
//!   outside of functions are code blocks of its section, cut at blank lines.
//! - A type without functions is one block with a section of its own.
//! - Other lines (imports, constants) are blocks without a section, cut at blank lines before a line that
//!   is not indented. So are files in languages that are not known here.
//!
//! Definitions are found by a scanner of our own and not by grammars: a grammar for each of the twenty
//! languages would add some hundred megabytes of generated C to every build, while this needs names and
//! borders only; and a file with a syntax error, or in a newer version of its language, still has most of
//! its functions found. A definition that is missed costs a heading, never a word.

mod braces;
mod indented;
mod languages;
mod mask;
mod signature;

use adit_core::{MediaType, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::media_type::language_of_name;
use languages::{Language, Shape};

/// Types inside types that are told apart.
const MAX_DEPTH: usize = 16;

/// A function, type or module: lines from `start` up to `end`, doc comment included.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Definition {
    title: String,
    start: usize,
    end: usize,
    children: Vec<Definition>,
}

/// A line of the file and the same line without comments and the inside of strings.
struct Line<'a> {
    raw: &'a str,
    masked: &'a str,
}

impl Line<'_> {
    fn indentation(&self) -> usize {
        self.masked.len() - self.masked.trim_start().len()
    }

    fn is_blank(&self) -> bool {
        self.masked.trim().is_empty()
    }

    /// Whether the line belongs to the definition under it: a comment or an attribute.
    fn leads(&self, language: &Language) -> bool {
        let code = self.masked.trim();
        (code.is_empty() && !self.raw.trim().is_empty())
            || language.attribute_marks.iter().any(|mark| code.starts_with(mark))
    }
}

/// Parses source code whose language the file's name tells.
pub(crate) fn parse(text: &str, name: &str) -> ParsedDocument {
    let language_name = language_of_name(name).or_else(|| language_of_first_line(text));
    let mut builder = DocumentBuilder::new();
    let mut writer = Writer { builder: &mut builder, language: language_name, gap: String::new() };
    let language = language_name.and_then(languages::find);
    let masked = language.map_or_else(String::new, |language| mask::mask(text, language));
    let raw_lines: Vec<&str> = text.split_inclusive('\n').collect();
    match language {
        // A mask of another length would put lines beside each other that are none.
        Some(language) if masked.len() == text.len() => {
            let mut start = 0;
            let lines: Vec<Line<'_>> = raw_lines
                .iter()
                .map(|raw| {
                    let masked = masked.get(start..start + raw.len()).unwrap_or(raw);
                    start += raw.len();
                    Line { raw, masked }
                })
                .collect();
            let definitions = match language.shape {
                Shape::Braces => braces::definitions(&lines, language),
                Shape::Indentation | Shape::EndWord => indented::definitions(&lines, language),
            };
            writer.write_lines(&raw_lines, 0, raw_lines.len(), &definitions, None);
        }
        _ => writer.write_lines(&raw_lines, 0, raw_lines.len(), &[], None),
    }
    builder.finish(MediaType::Code)
}

/// `#!/usr/bin/env python3` names the language of a file without an ending.
fn language_of_first_line(text: &str) -> Option<&'static str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let program = line.split(['/', ' ']).rfind(|word| !word.is_empty() && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|one: char| one.is_ascii_digit() || one == '.');
    let languages = [
        ("python", "python"),
        ("sh", "bash"),
        ("bash", "bash"),
        ("zsh", "bash"),
        ("dash", "bash"),
        ("ruby", "ruby"),
        ("perl", "perl"),
        ("node", "javascript"),
        ("lua", "lua"),
        ("php", "php"),
        ("Rscript", "r"),
        ("elixir", "elixir"),
    ];
    languages.iter().find(|(name, _)| *name == program).map(|(_, language)| *language)
}

struct Writer<'a> {
    builder: &'a mut DocumentBuilder,
    language: Option<&'static str>,
    /// White space since the last block.
    gap: String,
}

impl Writer<'_> {
    // Recursion is bounded: definitions are nested at most `MAX_DEPTH` deep.
    fn write_lines(
        &mut self,
        lines: &[&str],
        start: usize,
        end: usize,
        definitions: &[Definition],
        section: Option<usize>,
    ) {
        let mut at = start;
        for definition in definitions {
            self.write_items(lines.get(at..definition.start).unwrap_or_default());
            let own = self.builder.open_section(&definition.title, section);
            if definition.children.is_empty() {
                let whole = lines.get(definition.start..definition.end).unwrap_or_default().concat();
                self.write_block(&whole);
            } else {
                self.write_lines(lines, definition.start, definition.end, &definition.children, Some(own));
            }
            self.builder.return_to_section(section);
            at = definition.end;
        }
        self.write_items(lines.get(at..end).unwrap_or_default());
    }

    /// Lines outside of functions: a block ends at a blank line before a line that is not indented.
    fn write_items(&mut self, lines: &[&str]) {
        let mut item = String::new();
        let mut after_blank = false;
        let least = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).min();
        for line in lines {
            let is_blank = line.trim().is_empty();
            let begins =
                indentation(line) == least.unwrap_or(0) && !line.trim_start().starts_with(['}', ')', ']']);
            if after_blank && !is_blank && begins {
                self.write_block(&item);
                item.clear();
            }
            item.push_str(line);
            after_blank = is_blank;
        }
        self.write_block(&item);
    }

    fn write_block(&mut self, text: &str) {
        let trimmed = text.trim_end();
        if trimmed.is_empty() {
            return self.gap.push_str(text);
        }
        let words = text.trim_start();
        let lead = text.get(..text.len() - words.len()).unwrap_or_default();
        let blank_lines = lead.rfind('\n').map_or(0, |end| end + 1);
        self.gap.push_str(text.get(..blank_lines).unwrap_or_default());
        self.builder.set_gap(&std::mem::take(&mut self.gap));
        self.builder.code(trimmed, self.language.map(str::to_owned));
        self.gap.push_str(text.get(trimmed.len()..).unwrap_or_default());
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests;
