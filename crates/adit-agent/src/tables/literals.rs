//! Whether the words and figures of a result can only come from the tables.
//!
//! A document may ask the model to run `SELECT 'pay to account 77'` and to cite the result. A result can be cited
//! only if its statement brings no words or figures of its own: literals may be compared with, not selected.

/// Figures that formulas need: shares, percentages, rounding.
const FORMULA_NUMBERS: &[&str] = &["0", "1", "2", "100", "1.0", "100.0"];
/// What a literal may stand behind.
const COMPARING: &[&str] =
    &["=", "==", "<>", "!=", "<", ">", "<=", ">=", "like", "glob", "between", "limit", "offset", "escape"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A word, an operator or a bracket, in lower case.
    Plain(String),
    Text,
    Number(String),
}

/// Whether `statement` could put a literal of its own into a result.
pub(super) fn brings_literals(statement: &str) -> bool {
    let tokens = tokens(statement);
    let mut list_depth: Option<usize> = None;
    let mut depth = 0;
    let mut is_between = false;
    let mut before: Option<&Token> = None;
    for token in &tokens {
        match token {
            Token::Plain(word) => match word.as_str() {
                "(" => {
                    depth += 1;
                    if matches!(before, Some(Token::Plain(word)) if word == "in") {
                        list_depth = Some(depth);
                    }
                }
                ")" => {
                    if list_depth == Some(depth) {
                        list_depth = None;
                    }
                    depth = depth.saturating_sub(1);
                }
                "between" => is_between = true,
                // What follows in the brackets is selected, not compared with.
                "select" | "values" => list_depth = None,
                _ => {}
            },
            literal => {
                let follows = match before {
                    Some(Token::Plain(word)) if word == "and" && is_between => {
                        is_between = false;
                        true
                    }
                    Some(Token::Plain(word)) => COMPARING.contains(&word.as_str()),
                    _ => false,
                };
                let is_formula =
                    matches!(literal, Token::Number(number) if FORMULA_NUMBERS.contains(&number.as_str()));
                if !follows && !is_formula && list_depth != Some(depth) {
                    return true;
                }
            }
        }
        before = Some(token);
    }
    false
}

fn tokens(statement: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = statement;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => {
                tokens.push(Token::Text);
                quoted_length(rest, '\'')
            }
            '"' | '`' => {
                // A column; SQLite takes it for a text where there is no such column, so it counts as one
                // unless it is a plain name.
                let length = quoted_length(rest, first);
                let name = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
                let is_name = name.chars().all(|one| one.is_alphanumeric() || one == '_');
                tokens.push(if is_name { Token::Plain(name.to_lowercase()) } else { Token::Text });
                length
            }
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if first.is_ascii_digit()
                || (first == '.'
                    && rest.get(1..2).is_some_and(|next| next.chars().all(|one| one.is_ascii_digit()))) =>
            {
                let length = run_length(rest, |one| one.is_alphanumeric() || one == '.');
                tokens.push(Token::Number(rest.get(..length).unwrap_or_default().to_owned()));
                length
            }
            _ if first.is_alphabetic() || first == '_' => {
                let length = run_length(rest, |one| one.is_alphanumeric() || one == '_');
                let word = rest.get(..length).unwrap_or_default().to_lowercase();
                // x'41' is a text too.
                if word == "x" && rest.get(length..).is_some_and(|next| next.starts_with('\'')) {
                    tokens.push(Token::Text);
                    length + quoted_length(rest.get(length..).unwrap_or_default(), '\'')
                } else {
                    tokens.push(Token::Plain(word));
                    length
                }
            }
            _ if "<>=!".contains(first) => {
                let length = run_length(rest, |one| "<>=!".contains(one));
                tokens.push(Token::Plain(rest.get(..length).unwrap_or_default().to_owned()));
                length
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(Token::Plain(first.to_string()));
                }
                first.len_utf8()
            }
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    tokens
}

/// Of a quoted piece with its quotes; a doubled quote is one inside.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == quote {
            if characters.peek().is_some_and(|(_, next)| *next == quote) {
                characters.next();
            } else {
                return at + quote.len_utf8();
            }
        }
    }
    text.len()
}

fn run_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|one| !belongs(one)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_is_no_selecting() {
        for statement in [
            "SELECT region, sum(total) FROM t1_orders WHERE region = 'North' GROUP BY region",
            "SELECT round(100.0 * sum(a) / sum(b), 2) FROM t1",
            "SELECT * FROM t1 WHERE city IN ('Oslo', 'Rome') AND year BETWEEN 2019 AND 2024 LIMIT 5",
            "SELECT \"unit_price\" FROM t1 WHERE name LIKE '%it''s%' AND total >= 12.5 -- 'x'",
        ] {
            assert!(!brings_literals(statement), "{statement}");
        }
    }

    #[test]
    fn words_and_figures_of_the_statement_are_found_wherever_they_hide() {
        for statement in [
            "SELECT 'pay to account 77'",
            "SELECT 900 FROM t1",
            "SELECT a, 'x' FROM t1 WHERE b = 'y'",
            "SELECT * FROM (SELECT 'x' AS a)",
            "WITH w(a) AS (VALUES ('x')) SELECT a FROM w",
            "SELECT CASE WHEN a = 'x' THEN 'y' END FROM t1",
            "SELECT a FROM t1 UNION SELECT 'x'",
            "SELECT x'414243'",
            "SELECT a FROM t1 WHERE b IN (SELECT 'x') UNION SELECT 7",
            "SELECT \"pay now\" FROM t1",
            "SELECT 4e5 FROM t1",
            "SELECT .9 FROM t1",
            "SELECT a IN ('x') , 'y' FROM t1",
            "SELECT 1 WHERE 1 = 1 AND 'x'",
        ] {
            assert!(brings_literals(statement), "{statement}");
        }
    }
}
