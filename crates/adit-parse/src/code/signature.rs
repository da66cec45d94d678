use super::languages::Language;

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Holds definitions.
    Container,
    Function,
}

/// Words that may stand before the keyword of a definition.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "declare",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "override",
    "virtual",
    "unsafe",
    "extern",
    "const",
    "inline",
    "open",
    "data",
    "sealed",
    "suspend",
    "inner",
    "companion",
    "implicit",
    "lazy",
    "mutating",
    "nonmutating",
    "readonly",
    "partial",
    "required",
    "convenience",
    "fileprivate",
    "indirect",
    "noinline",
    "tailrec",
    "operator",
    "infix",
    "external",
    "synchronized",
    "native",
    "strictfp",
    "case",
    "typedef",
    "annotation",
    "value",
    "base",
    "crossinline",
    "isolated",
    "nonisolated",
    "volatile",
    "explicit",
    "constexpr",
    "consteval",
    "friend",
    "noexcept",
    "crate",
    "actual",
    "expect",
    "local",
    "ref",
    "threadlocal",
];

/// Words that look like a call or a type but begin a statement.
const STATEMENTS: &[&str] = &[
    "if",
    "else",
    "for",
    "foreach",
    "while",
    "do",
    "switch",
    "return",
    "catch",
    "try",
    "finally",
    "throw",
    "throws",
    "new",
    "case",
    "delete",
    "using",
    "lock",
    "with",
    "await",
    "yield",
    "in",
    "is",
    "as",
    "not",
    "and",
    "or",
    "elif",
    "elsif",
    "unless",
    "until",
    "match",
    "when",
    "select",
    "package",
    "import",
    "include",
    "assert",
    "sizeof",
    "goto",
    "break",
    "continue",
    "super",
    "this",
    "echo",
    "print",
    "then",
    "fi",
    "done",
    "esac",
    "let",
    "var",
    "val",
    "const",
    "function",
    "fixed",
    "checked",
    "unchecked",
    "get",
    "set",
    "guard",
    "repeat",
    "loop",
    "BEGIN",
    "END",
];

const MAX_TITLE_CHARACTERS: usize = 100;

/// Reads the head of a statement, up to its body, without comments and strings. `has_body` tells whether
/// a `{` follows; `in_container` whether it stands directly in a type.
pub(super) fn classify(
    head: &str,
    has_body: bool,
    in_container: bool,
    language: &Language,
) -> Option<(Kind, String)> {
    let head = without_attributes(head, language);
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let rest = without_modifiers(&head);
    if let Some(found) = by_keyword(rest, language) {
        return Some(found);
    }
    if let Some(name) = assigned_function(rest, language) {
        return Some((Kind::Function, title(&name)));
    }
    if has_body && language.has_bare_functions {
        return bare_function(rest, in_container, language)
            .map(|name| (Kind::Function, title(&format!("{name}()"))));
    }
    None
}

fn by_keyword(rest: &str, language: &Language) -> Option<(Kind, String)> {
    let after = |keyword: &str| {
        let after = rest.strip_prefix(keyword)?;
        let ends = after.is_empty() || !after.starts_with(|one: char| one.is_alphanumeric() || one == '_');
        ends.then(|| after.trim_start())
    };
    for keyword in language.functions {
        let Some(after) = after(keyword) else { continue };
        return match language.name {
            "go" => Some((Kind::Function, title(&format!("func {}", go_name(after)?)))),
            _ => {
                let name = name_at_start(after);
                let stands_alone =
                    matches!(*keyword, "init" | "init?" | "deinit" | "constructor" | "subscript" | "test");
                if name.is_empty() && !stands_alone {
                    return None;
                }
                Some((Kind::Function, title(format!("{keyword} {name}").trim())))
            }
        };
    }
    for keyword in language.containers {
        let Some(after) = after(keyword) else { continue };
        let name = match language.name {
            "go" if !(after.contains(" struct") || after.contains(" interface")) => return None,
            // `struct point make(...)` is a function that gives a struct.
            "c" | "cpp" if after.contains('(') => return None,
            "rust" if *keyword == "impl" => return Some((Kind::Container, title(rest))),
            // `class (a)` is an expression; `class << self` has a name of its own kind.
            "ruby" => after.split([' ', ';', '<']).find(|word| !word.is_empty()).unwrap_or("self").to_owned(),
            _ => {
                // `enum class X`, `record struct X`, `object` in Kotlin without a name.
                let after =
                    after.strip_prefix("class ").or_else(|| after.strip_prefix("struct ")).unwrap_or(after);
                name_at_start(after)
            }
        };
        if name.is_empty() && !matches!(*keyword, "object" | "namespace" | "extension") {
            return None;
        }
        return Some((Kind::Container, title(format!("{keyword} {name}").trim())));
    }
    None
}

/// `(r *Parser) Read(...)` is the method `(r *Parser) Read`.
fn go_name(after: &str) -> Option<String> {
    if let Some(rest) = after.strip_prefix('(') {
        let (receiver, rest) = rest.split_once(')')?;
        return Some(format!("({receiver}) {}", name_at_start(rest.trim_start())));
    }
    Some(name_at_start(after)).filter(|name| !name.is_empty())
}

/// `const name = (x) => ...`, `name = function(x)`, `name <- function(x)`.
fn assigned_function(rest: &str, language: &Language) -> Option<String> {
    let (left, right) = match language.name {
        "r" => rest.split_once("<-").or_else(|| rest.split_once('='))?,
        "javascript" | "typescript" => rest.split_once('=')?,
        _ => return None,
    };
    let left = ["let ", "var ", "const "].iter().find_map(|word| left.strip_prefix(word)).unwrap_or(left);
    let name: String = left.split(':').next()?.trim().trim_matches('`').to_owned();
    let is_name = !name.is_empty()
        && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '.' | '$' | '#'));
    let right = right.trim_start();
    let right = right.strip_prefix("async ").unwrap_or(right);
    let is_function = if language.name == "r" {
        right.starts_with("function") || right.starts_with("\\(")
    } else {
        let is_arrow = right.contains("=>")
            && (right.starts_with('(')
                || right.starts_with('<')
                || right.split("=>").next().is_some_and(|argument| {
                    let argument = argument.trim();
                    !argument.is_empty()
                        && argument.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '$'))
                }));
        right.starts_with("function") || is_arrow
    };
    (is_name && is_function).then_some(name)
}

/// `int Parser::read(char *at)`: a name before the first `(`, with a type before it unless it stands in a
/// type or in a language that writes none.
fn bare_function(rest: &str, in_container: bool, language: &Language) -> Option<String> {
    let (before, arguments) = rest.split_once('(')?;
    let mut before = before.trim_end();
    if in_container && matches!(language.name, "javascript" | "typescript") {
        // `get size()`, `*items()`
        let accessor = before.strip_prefix("get ").or_else(|| before.strip_prefix("set "));
        before = accessor.unwrap_or(before).trim_start_matches(['*', ' ']);
    }
    let first = before.split(|one: char| !(one.is_alphanumeric() || one == '_')).next().unwrap_or_default();
    if before.is_empty()
        || (before.contains('=') && !before.contains("operator"))
        || STATEMENTS.contains(&first)
        || !arguments.contains(')')
    {
        return None;
    }
    let is_name = |one: char| one.is_alphanumeric() || matches!(one, '_' | ':' | '~' | '$' | '#' | '.' | '-');
    let start = before
        .rfind(|one: char| !is_name(one))
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let mut name = before.get(start..).unwrap_or_default();
    if let Some(at) = before.find("operator") {
        name = before.get(at..).unwrap_or(name);
    }
    let name = name.trim_start_matches(['*', '&']);
    let starts_well =
        name.starts_with(|one: char| one.is_alphabetic() || matches!(one, '_' | '~' | '#' | '$'));
    let has_type = start > 0;
    let writes_no_type = matches!(language.name, "bash") || in_container || name.contains("::");
    let is_call = name.contains('.') && language.name != "bash";
    let fits_language = !matches!(language.name, "javascript" | "typescript") || (in_container && !has_type);
    (starts_well && !is_call && (has_type || writes_no_type) && fits_language && !STATEMENTS.contains(&name))
        .then(|| name.to_owned())
}

fn name_at_start(text: &str) -> String {
    // Kotlin and Scala write type parameters and receivers before the name.
    let text = if text.starts_with('<') {
        text.split_once('>').map_or(text, |(_, rest)| rest.trim_start())
    } else {
        text
    };
    let is_name =
        |one: char| one.is_alphanumeric() || matches!(one, '_' | '.' | ':' | '?' | '!' | '$' | '#' | '~');
    let end = text.find(|one: char| !is_name(one)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end_matches([':', '.']).to_owned()
}

/// Leaves out `@Name(...)`, `#[...]` and `[...]` at the beginning.
fn without_attributes<'a>(head: &'a str, language: &Language) -> &'a str {
    let mut rest = head.trim_start();
    while let Some(mark) = language.attribute_marks.iter().find(|mark| rest.starts_with(**mark)) {
        // `@interface` is a type.
        if *mark == "@" && rest.starts_with("@interface") {
            break;
        }
        let name_end = rest
            .find(|one: char| !(one.is_alphanumeric() || matches!(one, '@' | '_' | '.' | ':' | '#')))
            .unwrap_or(rest.len());
        let after = rest.get(name_end..).unwrap_or_default();
        let opens = after.chars().next().filter(|one| matches!(one, '(' | '[' | '<'));
        let end = opens.map_or(name_end, |_| name_end + bracket_length(after));
        let next = rest.get(end..).unwrap_or_default().trim_start();
        if next.len() == rest.len() {
            break;
        }
        rest = next;
    }
    rest
}

/// The length of the bracketed text at the beginning.
fn bracket_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + character.len_utf8();
        }
    }
    text.len()
}

fn without_modifiers(head: &str) -> &str {
    let mut rest = head;
    loop {
        let word_end = rest.find(|one: char| !(one.is_alphanumeric() || one == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(word_end).unwrap_or((rest, ""));
        if !MODIFIERS.contains(&word) {
            // `extern "C"` and `pub(crate)`: what a string or a scope leaves behind.
            return rest;
        }
        let after = after.trim_start();
        let after = if after.starts_with("(crate")
            || after.starts_with("(super")
            || after.starts_with("(in ")
            || after.starts_with("(self")
        {
            after.get(bracket_length(after)..).unwrap_or_default().trim_start()
        } else {
            after.trim_start_matches(['"', ' '])
        };
        // `default(` and `static {` are not modifiers of anything.
        if after.is_empty() || after.starts_with(['(', '=', ':', ';', '.', ',']) {
            return rest;
        }
        rest = after;
    }
}

fn title(text: &str) -> String {
    text.chars().take(MAX_TITLE_CHARACTERS).collect::<String>().trim().to_owned()
}
