//! The guarded parser against children that answer, hang, flood, die and break: this binary is its own
//! worker, which the ordinary test harness cannot be.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

#[path = "parse/pdf_bytes.rs"]
mod pdf_bytes;

use std::io::Write;
use std::process::ExitCode;

use adit_core::{ParseError, ParsedDocument, Parser, SourceFile};
use adit_parse::{GuardedParser, ParseLimits, WORKER_ARGUMENT, run_worker};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).map(String::as_str) == Some(WORKER_ARGUMENT) {
        return worker(arguments.get(2).map_or("", String::as_str));
    }
    let tests: [(&str, fn()); 8] = [
        ("a_pdf_is_read", a_pdf_is_read),
        ("errors_travel", errors_travel),
        ("a_hanging_child_is_stopped", a_hanging_child_is_stopped),
        ("an_endless_answer_is_cut", an_endless_answer_is_cut),
        ("a_chatty_child_does_not_block", a_chatty_child_does_not_block),
        ("a_dead_child_is_reported", a_dead_child_is_reported),
        ("memory_is_limited", memory_is_limited),
        ("a_missing_program_is_reported", a_missing_program_is_reported),
    ];
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
    let zombies = zombie_children();
    assert_eq!(zombies, 0, "children were left behind");
    ExitCode::SUCCESS
}

fn worker(name: &str) -> ExitCode {
    match name {
        "hang.pdf" => loop {
            std::thread::park();
        },
        "flood.pdf" => while std::io::stdout().write_all(&[b'x'; 65536]).is_ok() {},
        "chatty.pdf" => {
            eprint!("{}", "noise\n".repeat(200_000));
            return ExitCode::from(run_worker(name));
        }
        "abort.pdf" => {
            eprintln!("last words");
            std::process::abort();
        }
        _ => return ExitCode::from(run_worker(name)),
    }
    ExitCode::SUCCESS
}

fn limits() -> ParseLimits {
    ParseLimits { timeout_ms: 60_000, ..ParseLimits::default() }
}

fn parse(name: &str, bytes: &[u8], limits: ParseLimits) -> Result<ParsedDocument, ParseError> {
    GuardedParser::new(std::env::current_exe().unwrap(), limits).parse(SourceFile { name, bytes })
}

fn one_page() -> Vec<u8> {
    pdf_bytes::pdf_with_pages(&[&["The retention period is seven years."]])
}

fn a_pdf_is_read() {
    let document = parse("a.pdf", &one_page(), limits()).unwrap();
    assert!(document.text.contains("retention period"));
    assert_eq!(parse("a.md", b"# Title", limits()).unwrap().text, "Title");
}

fn errors_travel() {
    assert!(matches!(parse("a.pdf", b"%PDF-1.4 broken", limits()), Err(ParseError::Damaged { .. })));
    assert!(matches!(parse("a.pdf", b"", limits()), Err(ParseError::Empty)));
    let small = ParseLimits { max_file_bytes: 10, ..limits() };
    assert!(matches!(parse("a.pdf", &one_page(), small), Err(ParseError::TooLarge { .. })));
}

fn a_hanging_child_is_stopped() {
    // Larger than a pipe, so that writing it would block for ever without a thread.
    let large = [one_page(), vec![b' '; 1 << 20]].concat();
    let short = ParseLimits { timeout_ms: 200, ..limits() };
    assert_eq!(parse("hang.pdf", &large, short), Err(ParseError::TimedOut { limit_ms: 200 }));
}

fn an_endless_answer_is_cut() {
    let small = ParseLimits { memory_limit_bytes: 1 << 20, ..limits() };
    assert!(matches!(parse("flood.pdf", &one_page(), small), Err(ParseError::Crashed { .. })));
}

fn a_chatty_child_does_not_block() {
    assert!(parse("chatty.pdf", &one_page(), limits()).is_ok());
}

fn a_dead_child_is_reported() {
    let Err(ParseError::Crashed { detail }) = parse("abort.pdf", &one_page(), limits()) else {
        panic!("no crash reported");
    };
    assert!(detail.contains("last words"), "{detail}");
}

fn memory_is_limited() {
    let small = ParseLimits { memory_limit_bytes: 48 << 20, ..limits() };
    assert!(matches!(parse("a.pdf", &one_page(), small), Err(ParseError::Crashed { .. })));
}

fn a_missing_program_is_reported() {
    let parser = GuardedParser::new("no/such/program".into(), limits());
    let result = parser.parse(SourceFile { name: "a.pdf", bytes: &one_page() });
    assert!(matches!(result, Err(ParseError::Crashed { .. })));
}

fn zombie_children() -> usize {
    let own = std::process::id().to_string();
    let Ok(processes) = fs_err::read_dir("/proc") else { return 0 };
    let stats =
        processes.flatten().filter_map(|entry| fs_err::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let fields = stat.rsplit(')').next().unwrap_or_default();
            fields.split_whitespace().nth(1) == Some(&own)
        })
        .count()
}
