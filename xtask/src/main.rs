//! Developer commands: `cargo xtask test`, `cargo xtask gate`, `cargo xtask bench`,
//! `cargo xtask live-test`.

mod bench;
mod gate;
mod live_test;
mod step;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask test    everything the tests need, then formatting, clippy, all tests, the retrieval gate
cargo xtask gate    the retrieval scores that must not fall (needs ../shared/data, or ADIT_SHARED_DATA)
cargo xtask bench   quality, indexing and latency figures for docs/measurements (takes about an hour)
cargo xtask live-test   adit-provider against a llama.cpp server that it builds once (11 CPU minutes)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("test") => test::run(),
        Some("gate") => gate::run(),
        Some("live-test") => live_test::run(),
        Some("bench") => {
            bench::run(arguments.get(1).map(String::as_str), arguments.get(2..).unwrap_or_default())
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
