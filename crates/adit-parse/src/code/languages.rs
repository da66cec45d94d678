/// How a language shows where a definition ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `{` and `}`.
    Braces,
    /// By its indentation.
    Indentation,
    /// The word `end`, indented as the definition is.
    EndWord,
}

/// What the scanner has to know of a language.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    pub(super) nests_comments: bool,
    /// Marks that open and close a text that may have many lines, longest first.
    pub(super) long_strings: &'static [(&'static str, &'static str)],
    /// Marks of a text in one line, in which `\` escapes.
    pub(super) strings: &'static [char],
    /// `'` is for one character, not for a text.
    pub(super) has_characters: bool,
    /// `/` may begin a regular expression.
    pub(super) has_regex_literals: bool,
    /// `<<WORD` begins a text that ends with a line `WORD`.
    pub(super) has_here_documents: bool,
    /// Lines that begin with `#` are for the preprocessor.
    pub(super) has_preprocessor: bool,
    /// A statement goes on over line ends until `;` or `{`.
    pub(super) ends_with_semicolon: bool,
    /// A function may be written without a keyword: `int name(...) {`.
    pub(super) has_bare_functions: bool,
    /// A function may be one expression: `fun name() = ...`.
    pub(super) has_expression_functions: bool,
    pub(super) attribute_marks: &'static [&'static str],
    /// Words that begin a type or module.
    pub(super) containers: &'static [&'static str],
    /// Words that begin a function.
    pub(super) functions: &'static [&'static str],
}

const BRACES: Language = Language {
    name: "",
    shape: Shape::Braces,
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    nests_comments: false,
    long_strings: &[],
    strings: &['"'],
    has_characters: true,
    has_regex_literals: false,
    has_here_documents: false,
    has_preprocessor: false,
    ends_with_semicolon: true,
    has_bare_functions: false,
    has_expression_functions: false,
    attribute_marks: &["@"],
    containers: &["class", "interface", "enum", "struct"],
    functions: &[],
};

const TRIPLE_QUOTES: (&str, &str) = ("\"\"\"", "\"\"\"");

static LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        nests_comments: true,
        long_strings: &[("r##\"", "\"##"), ("r#\"", "\"#"), ("r\"", "\""), ("b\"", "\""), ("\"", "\"")],
        strings: &[],
        attribute_marks: &["#["],
        containers: &["impl", "trait", "mod", "struct", "enum", "union", "macro_rules!"],
        functions: &["fn"],
        ..BRACES
    },
    Language {
        name: "go",
        long_strings: &[("`", "`")],
        ends_with_semicolon: false,
        attribute_marks: &[],
        containers: &["type"],
        functions: &["func"],
        ..BRACES
    },
    Language {
        name: "java",
        long_strings: &[TRIPLE_QUOTES],
        has_bare_functions: true,
        containers: &["class", "interface", "enum", "record", "@interface"],
        ..BRACES
    },
    Language {
        name: "kotlin",
        nests_comments: true,
        long_strings: &[TRIPLE_QUOTES],
        ends_with_semicolon: false,
        has_expression_functions: true,
        containers: &["class", "interface", "object", "enum"],
        functions: &["fun", "constructor", "init"],
        ..BRACES
    },
    Language {
        name: "scala",
        nests_comments: true,
        long_strings: &[TRIPLE_QUOTES],
        ends_with_semicolon: false,
        has_expression_functions: true,
        containers: &["class", "object", "trait", "enum", "package"],
        functions: &["def"],
        ..BRACES
    },
    Language {
        name: "javascript",
        long_strings: &[("`", "`")],
        strings: &['"', '\''],
        has_characters: false,
        has_regex_literals: true,
        ends_with_semicolon: false,
        has_bare_functions: true,
        has_expression_functions: true,
        containers: &["class"],
        functions: &["function", "function*"],
        ..BRACES
    },
    Language {
        name: "typescript",
        long_strings: &[("`", "`")],
        strings: &['"', '\''],
        has_characters: false,
        has_regex_literals: true,
        ends_with_semicolon: false,
        has_bare_functions: true,
        has_expression_functions: true,
        containers: &["class", "interface", "enum", "namespace", "module"],
        functions: &["function", "function*"],
        ..BRACES
    },
    Language {
        name: "c",
        has_preprocessor: true,
        has_bare_functions: true,
        attribute_marks: &["__attribute__"],
        containers: &["struct", "enum", "union"],
        ..BRACES
    },
    Language {
        name: "cpp",
        has_preprocessor: true,
        has_bare_functions: true,
        long_strings: &[("R\"(", ")\"")],
        attribute_marks: &["[[", "template"],
        containers: &["class", "struct", "enum", "union", "namespace"],
        ..BRACES
    },
    Language {
        name: "csharp",
        has_preprocessor: true,
        has_bare_functions: true,
        has_expression_functions: true,
        long_strings: &[TRIPLE_QUOTES, ("@\"", "\"")],
        attribute_marks: &["["],
        containers: &["class", "interface", "enum", "struct", "record", "namespace"],
        ..BRACES
    },
    Language {
        name: "php",
        line_comments: &["//", "#"],
        strings: &[],
        long_strings: &[("\"", "\""), ("'", "'")],
        has_characters: false,
        attribute_marks: &["#["],
        containers: &["class", "interface", "trait", "enum", "namespace"],
        functions: &["function"],
        ..BRACES
    },
    Language {
        name: "swift",
        nests_comments: true,
        long_strings: &[TRIPLE_QUOTES],
        has_characters: false,
        ends_with_semicolon: false,
        containers: &["class", "struct", "enum", "protocol", "extension", "actor"],
        functions: &["func", "init", "init?", "deinit", "subscript"],
        ..BRACES
    },
    Language {
        name: "dart",
        long_strings: &[TRIPLE_QUOTES, ("'''", "'''")],
        strings: &['"', '\''],
        has_characters: false,
        has_bare_functions: true,
        has_expression_functions: true,
        containers: &["class", "enum", "mixin", "extension"],
        ..BRACES
    },
    Language {
        name: "zig",
        block_comment: None,
        attribute_marks: &[],
        containers: &[],
        functions: &["fn", "test"],
        ..BRACES
    },
    Language {
        name: "bash",
        line_comments: &["#"],
        block_comment: None,
        strings: &[],
        long_strings: &[("\"", "\""), ("'", "'")],
        has_characters: false,
        has_here_documents: true,
        ends_with_semicolon: false,
        has_bare_functions: true,
        attribute_marks: &[],
        containers: &[],
        functions: &["function"],
        ..BRACES
    },
    Language {
        name: "perl",
        line_comments: &["#"],
        block_comment: None,
        strings: &[],
        long_strings: &[("\"", "\""), ("'", "'")],
        has_characters: false,
        has_here_documents: true,
        attribute_marks: &[],
        containers: &["package"],
        functions: &["sub"],
        ..BRACES
    },
    Language {
        name: "r",
        line_comments: &["#"],
        block_comment: None,
        strings: &['"', '\'', '`'],
        has_characters: false,
        ends_with_semicolon: false,
        has_expression_functions: true,
        attribute_marks: &[],
        containers: &[],
        ..BRACES
    },
    Language {
        name: "python",
        shape: Shape::Indentation,
        line_comments: &["#"],
        block_comment: None,
        long_strings: &[TRIPLE_QUOTES, ("'''", "'''")],
        strings: &['"', '\''],
        has_characters: false,
        containers: &["class"],
        functions: &["def", "async def"],
        ..BRACES
    },
    Language {
        name: "ruby",
        shape: Shape::EndWord,
        line_comments: &["#"],
        block_comment: Some(("=begin", "=end")),
        strings: &['"', '\''],
        has_characters: false,
        has_regex_literals: true,
        has_here_documents: true,
        attribute_marks: &[],
        containers: &["class", "module"],
        functions: &["def"],
        ..BRACES
    },
    Language {
        name: "lua",
        shape: Shape::EndWord,
        line_comments: &["--"],
        block_comment: Some(("--[[", "]]")),
        long_strings: &[("[[", "]]")],
        strings: &['"', '\''],
        has_characters: false,
        attribute_marks: &[],
        containers: &[],
        functions: &["function", "local function"],
        ..BRACES
    },
    Language {
        name: "elixir",
        shape: Shape::EndWord,
        line_comments: &["#"],
        block_comment: None,
        long_strings: &[TRIPLE_QUOTES, ("'''", "'''")],
        strings: &['"', '\''],
        has_characters: false,
        attribute_marks: &["@doc", "@spec", "@impl"],
        containers: &["defmodule", "defprotocol", "defimpl"],
        functions: &["def", "defp", "defmacro", "defmacrop", "test"],
        ..BRACES
    },
];

/// The language of this name, in the names fences use.
pub(super) fn find(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}
