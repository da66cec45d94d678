use super::languages::{Language, Shape};
use super::signature::{Kind, classify};
use super::{Definition, Line, MAX_DEPTH};

/// The definitions of a language that shows by indentation, or by an indented `end`, where they end.
pub(super) fn definitions(lines: &[Line<'_>], language: &Language) -> Vec<Definition> {
    let scanner = Scanner { lines, in_brackets: in_brackets(lines), language };
    scanner.scan(0, lines.len(), 0)
}

/// Whether each line begins inside brackets, where indentation means nothing.
fn in_brackets(lines: &[Line<'_>]) -> Vec<bool> {
    let mut depth = 0_usize;
    let mut inside = Vec::with_capacity(lines.len());
    for line in lines {
        inside.push(depth > 0);
        for byte in line.masked.bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    inside
}

struct Scanner<'a> {
    lines: &'a [Line<'a>],
    in_brackets: Vec<bool>,
    language: &'a Language,
}

impl Scanner<'_> {
    // Recursion is bounded by `MAX_DEPTH`.
    fn scan(&self, start: usize, end: usize, nesting: usize) -> Vec<Definition> {
        let mut found = Vec::new();
        let mut free_from = start;
        let mut at = start;
        while at < end {
            let Some((kind, title)) = self.signature(at) else {
                at += 1;
                continue;
            };
            let last = self.end_of(at, end);
            let children = if kind == Kind::Container && nesting < MAX_DEPTH {
                self.scan(at + 1, last, nesting + 1)
            } else {
                Vec::new()
            };
            let above = self.lines.get(free_from..at).unwrap_or_default();
            let leading = above.iter().rev().take_while(|line| line.leads(self.language)).count();
            found.push(Definition { title, start: at - leading, end: last, children });
            at = last.max(at + 1);
            free_from = at;
        }
        found
    }

    fn signature(&self, at: usize) -> Option<(Kind, String)> {
        let line = self.lines.get(at)?;
        if self.in_brackets.get(at).copied().unwrap_or(true) || line.is_blank() {
            return None;
        }
        let head = line.masked.trim();
        // A definition in one line, such as `def x = 1` or `class A < B; end`, has no body below it.
        if self.language.shape == Shape::EndWord
            && (head.ends_with(" end") || head.ends_with(";end") || head.contains(", do:"))
        {
            return None;
        }
        let head = head.strip_prefix("async def ").map_or(head.to_owned(), |rest| format!("def {rest}"));
        let head = match head.strip_prefix("local function ") {
            Some(rest) => format!("function {rest}"),
            None => head,
        };
        classify(&head, false, false, self.language)
    }

    /// The line after the last one of the definition that begins at `at`.
    fn end_of(&self, at: usize, limit: usize) -> usize {
        let indentation = self.lines.get(at).map_or(0, Line::indentation);
        let mut last = at + 1;
        for number in at + 1..limit {
            let Some(line) = self.lines.get(number) else { break };
            if line.is_blank() {
                let raw = line.raw.trim_start();
                if !raw.trim_end().is_empty() && line.raw.len() - raw.len() > indentation {
                    // A comment of the body.
                    last = number + 1;
                }
                continue;
            }
            if !self.in_brackets.get(number).copied().unwrap_or(false) && line.indentation() <= indentation {
                let word = line.masked.trim();
                let is_end = self.language.shape == Shape::EndWord
                    && line.indentation() == indentation
                    && word.strip_prefix("end").is_some_and(|rest| {
                        !rest.starts_with(|one: char| one.is_alphanumeric() || one == '_')
                    });
                if is_end {
                    return number + 1;
                }
                let closes = word.starts_with([')', ']', '}'])
                    || (self.language.shape == Shape::EndWord
                        && is_clause(word)
                        && line.indentation() == indentation);
                if !closes {
                    break;
                }
            }
            last = number + 1;
        }
        last
    }
}

/// Words of Ruby and Elixir that part the body of one definition, indented as its first line is.
fn is_clause(word: &str) -> bool {
    ["rescue", "ensure", "else", "catch", "after"]
        .iter()
        .any(|clause| word.strip_prefix(clause).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}
