use super::*;

/// The headings of every block with the first line of the block, for a look at the structure.
fn outline(source: &str, name: &str) -> Vec<(String, String)> {
    let document = parse(source, name);
    assert_eq!(document.text, source.trim(), "the text is the file");
    let path = |section| document.heading_path(section).join(" > ");
    let first_line = |block: &adit_core::Block| {
        let words = block.range.slice(&document.text).unwrap();
        words.trim().lines().next().unwrap().to_owned()
    };
    document.blocks.iter().map(|block| (path(block.section), first_line(block))).collect()
}

fn paths(source: &str, name: &str) -> Vec<String> {
    let mut paths: Vec<String> =
        outline(source, name).into_iter().map(|(path, _)| path).filter(|path| !path.is_empty()).collect();
    paths.dedup();
    paths
}

#[test]
fn items_are_cut_at_blank_lines_and_lines_keep_their_numbers() {
    let source = "use a;\n\n\nfn b() {\n    1;\n\n    2;\n\n}\n\nfn c() {}\n";
    let document = parse(source, "x.rs");
    assert_eq!(document.text, source.trim_end());
    assert_eq!(document.blocks.len(), 3);
    assert_eq!(document.blocks[1].range.slice(&document.text), Some("fn b() {\n    1;\n\n    2;\n\n}"));
}

#[test]
fn a_function_is_one_block_with_its_doc_comment() {
    let source = "//! Module.\n\nuse a;\n\n/// Adds {.\n#[inline]\npub(crate) const fn add<'a>(x: &'a str) -> char {\n    // }\n    '}'\n}\n";
    assert_eq!(
        outline(source, "x.rs"),
        [
            (String::new(), "//! Module.".to_owned()),
            (String::new(), "use a;".to_owned()),
            ("fn add".to_owned(), "/// Adds {.".to_owned())
        ]
    );
}

#[test]
fn rust_types_hold_their_methods() {
    let source = "pub struct Money {\n    cents: u64,\n}\n\nimpl<T> fmt::Display for Money<T>\nwhere\n    T: Copy,\n{\n    /// Writes.\n    fn fmt(&self) -> R {\n        write!(f, \"}}{{\")\n    }\n\n    const X: u8 = 1;\n\n    async fn other() {}\n}\n\nmod tests {\n    mod inner {\n        fn deep() {\n        }\n    }\n}\n";
    assert_eq!(
        paths(source, "x.rs"),
        [
            "struct Money",
            "impl<T> fmt::Display for Money<T> where T: Copy,",
            "impl<T> fmt::Display for Money<T> where T: Copy, > fn fmt",
            "impl<T> fmt::Display for Money<T> where T: Copy,",
            "impl<T> fmt::Display for Money<T> where T: Copy, > fn other",
            "impl<T> fmt::Display for Money<T> where T: Copy,",
            "mod tests",
            "mod tests > mod inner",
            "mod tests > mod inner > fn deep",
            "mod tests > mod inner",
            "mod tests",
        ]
    );
}

#[test]
fn python_functions_end_with_their_indentation() {
    let source = "import os\n\n@cached\ndef one(\n  a,\nb):\n    \"\"\"Doc.\n\ndef not_one():\n\"\"\"\n    return {\n'x': 1}\n\n# About A.\nclass A(Base):\n    x = 1\n\n    async def go(self):\n        def inner():\n            pass\n        # end\n\n    def stop(self): pass\n\nrun()\n";
    assert_eq!(
        outline(source, "x.py"),
        [
            (String::new(), "import os".to_owned()),
            ("def one".to_owned(), "@cached".to_owned()),
            ("class A".to_owned(), "# About A.".to_owned()),
            ("class A > def go".to_owned(), "async def go(self):".to_owned()),
            ("class A > def stop".to_owned(), "def stop(self): pass".to_owned()),
            (String::new(), "run()".to_owned()),
        ]
    );
}

#[test]
fn javascript_and_typescript() {
    let source = "import x from 'x';\n\n/** Doc. */\nexport default async function load(a) {\n  return /[{]\"/.test(a) ? `${a}{` : '{';\n}\n\nexport const add = (a, b) => {\n  return a + b;\n};\n\nconst twice = x =>\n  x * 2;\n\nclass A extends B {\n  #n = 1;\n  constructor(x) {\n    super(x);\n  }\n  async *items() {\n    if (x) { y(); }\n  }\n  get size() { return 1; }\n}\n\nif (main) {\n  run();\n}\n";
    assert_eq!(
        paths(source, "x.js"),
        [
            "function load",
            "add",
            "twice",
            "class A",
            "class A > constructor()",
            "class A > items()",
            "class A > size()",
            "class A"
        ]
    );
    let source = "export interface Point {\n  x: number;\n}\n\nnamespace N {\n  export function f(a: number): string {\n    return '';\n  }\n}\n";
    assert_eq!(
        paths(source, "x.ts"),
        ["interface Point", "namespace N", "namespace N > function f", "namespace N"]
    );
}

#[test]
fn languages_of_the_c_family() {
    let source = "#include <x.h>\n#define OPEN {\n\n/* Adds. */\nstatic int\nadd(int a, int b)\n{\n    return a + b; /* } */\n}\n\nstruct point {\n    int x;\n};\n\nint count = call(1);\nstruct point *make(void) {\n    if (1) { return 0; }\n}\n";
    assert_eq!(paths(source, "x.c"), ["add()", "struct point", "make()"]);
    let source = "namespace a {\ntemplate <typename T>\nclass Box : public Base {\npublic:\n    Box(T x) : x_(x) {}\n    ~Box() {}\n    bool operator==(const Box& o) const { return true; }\n};\n}\n\nint Box::get() const {\n    return 1;\n}\n";
    assert_eq!(
        paths(source, "x.cpp"),
        [
            "namespace a",
            "namespace a > class Box",
            "namespace a > class Box > Box()",
            "namespace a > class Box > ~Box()",
            "namespace a > class Box > operator==()",
            "namespace a > class Box",
            "namespace a",
            "Box::get()",
        ]
    );
    let source = "package x;\n\n/** Doc. */\n@Service(\"a\")\npublic final class A<T> implements B {\n    private int n = f(1);\n\n    @Override\n    public <R> List<R> run(int x) throws E {\n        for (int i : x) { }\n        return new ArrayList<>() {};\n    }\n\n    A() { }\n}\n";
    assert_eq!(paths(source, "X.java"), ["class A", "class A > run()", "class A > A()", "class A"]);
    let source = "using System;\nnamespace N\n{\n    [Serializable]\n    public class A : B\n    {\n        public int Size { get; set; }\n        public async Task<int> Run(string s = \"{\")\n        {\n            return 1;\n        }\n        int Twice(int x) => x * 2;\n    }\n}\n";
    assert_eq!(
        paths(source, "x.cs"),
        [
            "namespace N",
            "namespace N > class A",
            "namespace N > class A > Run()",
            "namespace N > class A",
            "namespace N"
        ]
    );
}

#[test]
fn languages_with_a_keyword_for_functions() {
    let source = "package x\n\n// Read reads.\nfunc (r *Reader) Read(p []byte) (int, error) {\n\treturn 0, `}`\n}\n\ntype Reader struct {\n\tn int\n}\n\nfunc main() {\n}\n";
    assert_eq!(paths(source, "x.go"), ["func (r *Reader) Read", "type Reader", "func main"]);
    let source = "data class A(val x: Int) {\n    fun twice() = x * 2\n\n    override fun String.show(): String {\n        return \"${x}\"\n    }\n    companion object {\n        fun of() = A(1)\n    }\n}\n";
    assert_eq!(
        paths(source, "x.kt"),
        [
            "class A",
            "class A > fun twice",
            "class A > fun String.show",
            "class A > object",
            "class A > object > fun of",
            "class A > object",
            "class A"
        ]
    );
    let source = "object Main extends App {\n  def run[T](x: T): Unit = {\n    println(x)\n  }\n  case class P(x: Int)\n  def one = 1\n}\n";
    assert_eq!(
        paths(source, "x.scala"),
        ["object Main", "object Main > def run", "object Main", "object Main > def one", "object Main"]
    );
    let source = "struct A: B {\n    init(x: Int) {\n        self.x = x\n    }\n    @discardableResult\n    public func go<T>(_ x: T) -> Int where T: C {\n        guard x else { return 0 }\n        return 1\n    }\n}\nextension A {\n}\n";
    assert_eq!(
        paths(source, "x.swift"),
        ["struct A", "struct A > init", "struct A > func go", "struct A", "extension A"]
    );
    let source = "<?php\nclass A extends B {\n    // it's\n    public function go(string $x): int {\n        return \"{$x}\";\n    }\n}\nfunction top() {\n}\n";
    assert_eq!(paths(source, "x.php"), ["class A", "class A > function go", "class A", "function top"]);
    let source = "class A {\n  final int x;\n  A(this.x);\n  int twice() => x * 2;\n  void go() {\n    run('{');\n  }\n}\n";
    assert_eq!(paths(source, "x.dart"), ["class A", "class A > go()", "class A"]);
    let source = "const std = @import(\"std\");\n\npub fn main() !void {\n}\n\ntest \"adds\" {\n}\n";
    assert_eq!(paths(source, "x.zig"), ["fn main", "test"]);
}

#[test]
fn scripts_and_languages_with_end() {
    let source = "#!/bin/bash\n# Says.\nsay() {\n  echo \"}\" # {\n  cat <<EOF\n} {{{\nEOF\n}\n\nfunction go {\n  say\n}\n\nsay $#\n";
    assert_eq!(paths(source, "run"), ["say()", "function go"]);
    let source = "package A;\n\nsub new {\n    my $x = '}';\n}\n\nsub go { return 1; }\n";
    assert_eq!(paths(source, "x.pl"), ["sub new", "sub go"]);
    let source = "add <- function(a, b) {\n  a + b\n}\n\n# Doc\ntwice = function(x) x * 2\n";
    assert_eq!(paths(source, "x.r"), ["add", "twice"]);
    let source = "module M\n  # Doc.\n  class A < B\n    attr :x\n\n    def go(x)\n      if x\n        1\n      end\n    rescue E\n      2\n    end\n\n    def self.make = new\n  end\nend\n";
    assert_eq!(
        paths(source, "x.rb"),
        [
            "module M",
            "module M > class A",
            "module M > class A > def go",
            "module M > class A > def self.make",
            "module M > class A",
            "module M"
        ]
    );
    let source = "-- Doc\nlocal function add(a)\n  return a\nend\n\nfunction M.go()\n  if x then\n    y()\n  end\nend\n";
    assert_eq!(paths(source, "x.lua"), ["function add", "function M.go"]);
    let source = "defmodule A.B do\n  @doc \"\"\"\n  def x do\n  \"\"\"\n  def go(x) do\n    x\n  end\n\n  defp one, do: 1\nend\n";
    assert_eq!(paths(source, "x.ex"), ["defmodule A.B", "defmodule A.B > def go", "defmodule A.B"]);
}

#[test]
fn broken_sources_keep_their_words() {
    for source in [
        "fn x() {\n",
        "}\n}\nfn a() {}\n",
        "/* never closed\nfn x() {}",
        "r#\"never\n",
        "'",
        "\"",
        "fn",
        "{{{{",
        "class",
    ] {
        for name in ["x.rs", "x.py", "x.js", "x.c", "x.rb", "x.cpp", "x.kt", "x.sh", "x.unknown"] {
            assert_eq!(parse(source, name).text, source.trim());
        }
    }
    let deep = "mod a {\n".repeat(10_000);
    assert_eq!(parse(&deep, "x.rs").text, deep.trim());
}
