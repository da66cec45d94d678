use super::languages::Language;
use super::signature::{Kind, classify};
use super::{Definition, Line, MAX_DEPTH};

/// A head with more is no head.
const MAX_HEAD_BYTES: usize = 4_000;
const MAX_HEAD_LINES: usize = 60;

/// The definitions of a language with braces.
pub(super) fn definitions(lines: &[Line<'_>], language: &Language) -> Vec<Definition> {
    let depths = depths(lines);
    let scanner = Scanner { lines, depths: &depths, language };
    scanner.scan(0, lines.len(), 0, None)
}

/// Open brackets at the start of each line, and at the end of the last.
fn depths(lines: &[Line<'_>]) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut depths = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        depths.push(depth);
        for byte in line.masked.bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    depths.push(depth);
    depths
}

struct Scanner<'a> {
    lines: &'a [Line<'a>],
    depths: &'a [usize],
    language: &'a Language,
}

/// Where the head of a statement ends.
struct Head {
    text: String,
    /// The line after the last one of the head.
    end: usize,
    has_body: bool,
}

impl Scanner<'_> {
    // Recursion is bounded by `MAX_DEPTH`.
    fn scan(
        &self,
        start: usize,
        end: usize,
        nesting: usize,
        container_depth: Option<usize>,
    ) -> Vec<Definition> {
        let depth = container_depth.map_or(0, |depth| depth + 1);
        let mut found = Vec::new();
        let mut free_from = start;
        let mut at = start;
        while at < end {
            let definition = if self.depths.get(at) == Some(&depth) && !self.is_closing(at) {
                self.definition(at, end, nesting, container_depth.is_some())
            } else {
                None
            };
            match definition {
                Some(mut definition) => {
                    definition.start = self.with_lead(at, free_from);
                    at = definition.end.max(at + 1);
                    free_from = at;
                    found.push(definition);
                }
                None => at += 1,
            }
        }
        found
    }

    fn is_closing(&self, at: usize) -> bool {
        self.lines
            .get(at)
            .is_none_or(|line| line.is_blank() || line.masked.trim_start().starts_with(['}', ')', ']']))
    }

    fn definition(&self, at: usize, limit: usize, nesting: usize, in_container: bool) -> Option<Definition> {
        let head = self.head(at, limit)?;
        let (kind, title) = classify(&head.text, head.has_body, in_container, self.language)?;
        if !head.has_body {
            let is_expression =
                self.language.has_expression_functions && kind == Kind::Function && head.text.contains('=');
            let end = self.expression_end(at, head.end, limit);
            return is_expression.then(|| Definition { title, start: at, end, children: Vec::new() });
        }
        let depth = self.depths.get(at).copied()?;
        // The line on whose end all brackets that the definition opened are closed.
        let closed = |line: &usize| self.depths.get(line + 1).is_none_or(|after| *after <= depth);
        let last = (head.end.saturating_sub(1)..limit).find(closed).unwrap_or(limit.saturating_sub(1));
        let children = if kind == Kind::Container && nesting < MAX_DEPTH && last >= head.end {
            self.scan(head.end, last, nesting + 1, Some(depth))
        } else {
            Vec::new()
        };
        Some(Definition { title, start: at, end: last + 1, children })
    }

    /// Reads from line `at` to the `{` of the body, to `;`, or to where the statement ends with its line.
    fn head(&self, at: usize, limit: usize) -> Option<Head> {
        let mut text = String::new();
        let mut depth = 0_usize;
        for number in at..limit.min(at + MAX_HEAD_LINES) {
            let line = self.lines.get(number)?;
            for character in line.masked.chars() {
                match character {
                    '{' if depth == 0 => return Some(Head { text, end: number + 1, has_body: true }),
                    ';' if depth == 0 => return Some(Head { text, end: number + 1, has_body: false }),
                    '}' if depth == 0 => return None,
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                text.push(character);
            }
            if text.len() > MAX_HEAD_BYTES {
                return None;
            }
            if depth == 0 && !self.language.ends_with_semicolon && !self.goes_on(number, limit) {
                return Some(Head { text, end: number + 1, has_body: false });
            }
        }
        None
    }

    /// Whether a statement without a semicolon goes on after the line `number`.
    fn goes_on(&self, number: usize, limit: usize) -> bool {
        let Some(line) = self.lines.get(number).map(|line| line.masked.trim()) else { return false };
        let is_annotation = line.starts_with('@') && !line.contains(' ');
        if line.is_empty() || is_annotation || line.ends_with([',', ':', '=', '|', '&', '+', '>']) {
            return true;
        }
        let next =
            self.lines.get(number + 1..limit).and_then(|rest| rest.iter().find(|line| !line.is_blank()));
        let Some(next) = next.map(|line| line.masked.trim()) else { return false };
        next.starts_with(['{', ':', '=', '.', ')'])
            || ["where", "throws", "->", "extends", "implements", "with"]
                .iter()
                .any(|word| next.starts_with(word))
    }

    /// An expression ends before the next line that is not indented further than its first.
    fn expression_end(&self, at: usize, from: usize, limit: usize) -> usize {
        let indentation = self.lines.get(at).map_or(0, Line::indentation);
        let ends = |line: &Line<'_>| line.is_blank() || line.indentation() <= indentation;
        let rest = self.lines.get(from..limit).unwrap_or_default();
        from + rest.iter().position(ends).unwrap_or(rest.len())
    }

    /// Where the comments and attributes right above line `at` begin.
    fn with_lead(&self, at: usize, free_from: usize) -> usize {
        let above = self.lines.get(free_from..at).unwrap_or_default();
        let leading = above.iter().rev().take_while(|line| line.leads(self.language)).count();
        at - leading
    }
}
