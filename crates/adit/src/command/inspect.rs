use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

use adit_core::{
    BlockKind, Chunk, Classified, Coverage, Embedder, ParsedDocument, Parser, SourceFile, TextRange,
};
use adit_ingest::{Settings, read_bounded};
use adit_parse::{GuardedParser, ParseLimits};
use serde::Serialize;

use crate::arguments::InspectArguments;
use crate::engine::{chunker, existing_home, load_embedder, own_program};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

/// Characters of a block or a chunk that are shown on one line.
const SHOWN_CHARACTERS: usize = 90;
/// Files inside the file that are named; all are counted.
const NAMED_CHILDREN: usize = 100;

/// What `inspect --json` prints.
#[derive(Serialize)]
struct Inspected {
    file: String,
    media_type: String,
    title: Option<String>,
    coverage: Coverage,
    blocks: Vec<InspectedBlock>,
    /// None where the embedding model, whose tokens are counted, cannot be had.
    chunks: Option<Vec<Chunk>>,
    chunker: String,
    /// Files inside the file, each a document of its own.
    inside: Vec<String>,
    inside_count: usize,
}

#[derive(Serialize)]
struct InspectedBlock {
    kind: &'static str,
    /// Rows of a table, items of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    heading_path: Vec<String>,
    page: Option<u32>,
    range: TextRange,
    text: String,
}

pub(super) fn run(
    home: Option<&Path>,
    arguments: &InspectArguments,
    output: Output,
) -> Result<Exit, Failure> {
    // Without a home the usual settings hold: nothing is indexed.
    let settings = match existing_home(home) {
        Ok((_, settings)) => settings,
        Err(failure) if home.is_some() => return Err(failure),
        Err(_) => Settings::default(),
    };
    let name = arguments.file.display().to_string();
    let bytes = read(&arguments.file, settings.parse.max_file_bytes)?;
    let file = SourceFile { name: &name, bytes: &bytes };
    let parser = GuardedParser::new(own_program()?, ParseLimits::from(&settings.parse));
    let (mut inside, mut inside_count) = (Vec::new(), 0_usize);
    let expansion = parser.expand(file, &mut |child| {
        inside_count += 1;
        if inside.len() < NAMED_CHILDREN {
            inside.push(match child.content {
                Ok(bytes) => format!("{} ({} bytes)", child.path, bytes.len()),
                Err(error) => format!("{} (cannot be had: {error})", child.path),
            });
        }
        ControlFlow::Continue(())
    });
    let document = match (parser.parse(file), expansion) {
        (Ok(document), _) => document,
        // An archive has no words of its own.
        (Err(_), Ok(Some(expansion))) if !expansion.has_own_text => {
            ParsedDocument { media_type: expansion.media_type, ..nothing() }
        }
        (Err(error), _) => {
            let hint =
                error.hint().unwrap_or_else(|| "open it in its own program and save it again".to_owned());
            return Err(Failure::usage(format!("{name}: {error}"), hint));
        }
    };
    let chunker = chunker(&settings)?;
    let model = &settings.model;
    let chunks = match load_embedder(&model.name, &model.precision, 1) {
        Ok(embedder) => Some(chunker.chunk(&document, embedder.tokenizer())?),
        Err(failure) => {
            note(&format!("note: no chunks are shown, the embedding model is not there: {failure}"));
            None
        }
    };
    let inspected = Inspected {
        file: name,
        media_type: document.media_type.to_string(),
        title: document.title.clone(),
        blocks: document.blocks.iter().map(|block| inspected_block(&document, block)).collect(),
        coverage: document.coverage,
        chunks,
        chunker: chunker.description(),
        inside,
        inside_count,
    };
    output.result(&inspected, |inspected| describe(inspected, arguments.full))?;
    Ok(Exit::Done)
}

fn nothing() -> ParsedDocument {
    ParsedDocument {
        media_type: adit_core::MediaType::Unknown,
        title: None,
        text: String::new(),
        sections: Vec::new(),
        blocks: Vec::new(),
        metadata: adit_core::Metadata::new(),
        coverage: Coverage::default(),
    }
}

fn read(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, Failure> {
    let read = read_bounded(path, limit_bytes)
        .map_err(|error| Failure::usage(error.to_string(), "name a file that can be read"))?;
    read.ok_or_else(|| {
        let message = format!("{} is larger than {limit_bytes} bytes", path.display());
        Failure::usage(message, "raise parse.max_file_bytes in adit.toml")
    })
}

fn inspected_block(document: &ParsedDocument, block: &adit_core::Block) -> InspectedBlock {
    let (kind, parts) = match &block.kind {
        BlockKind::Heading => ("heading", None),
        BlockKind::Paragraph => ("paragraph", None),
        BlockKind::List { items } => ("list", Some(items.len())),
        BlockKind::Table(table) => ("table", Some(table.rows.len())),
        BlockKind::Code { .. } => ("code", None),
        BlockKind::Quote => ("quote", None),
        BlockKind::PageBreak => ("page break", None),
    };
    InspectedBlock {
        kind,
        parts,
        heading_path: document.heading_path(block.section),
        page: block.page,
        range: block.range,
        text: block.range.slice(&document.text).unwrap_or_default().to_owned(),
    }
}

fn describe(inspected: &Inspected, full: bool) -> String {
    let coverage = &inspected.coverage;
    let mut text = format!("{}: {}", inspected.file, inspected.media_type);
    if let Some(title) = &inspected.title {
        let _ = write!(text, ", \"{}\"", shortened(title));
    }
    let _ = writeln!(text, "\n{} bytes in, {} characters out", coverage.bytes_in, coverage.characters_out);
    if coverage.pages_in > 0 {
        let _ =
            writeln!(text, "{} pages, without text: {:?}", coverage.pages_in, coverage.pages_without_text);
    }
    if let Some(encoding) = &coverage.encoding {
        let _ = writeln!(
            text,
            "encoding {} ({}), {} replacement characters, {} suspected mojibake",
            encoding.name, encoding.source, encoding.replacement_characters, encoding.suspected_mojibake
        );
    }
    for warning in &coverage.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for finding in &coverage.findings {
        let _ =
            writeln!(text, "finding at byte {}: {}: {}", finding.range.start, finding.kind, finding.excerpt);
    }
    let _ = writeln!(text, "\n{} blocks", inspected.blocks.len());
    for block in &inspected.blocks {
        let indent =
            "  ".repeat(block.heading_path.len().saturating_sub(usize::from(block.kind == "heading")));
        let parts = block.parts.map(|parts| format!(" of {parts}")).unwrap_or_default();
        let page = block.page.map(|page| format!(" p. {page}")).unwrap_or_default();
        let _ = writeln!(text, "  {indent}{}{parts}{page}: {}", block.kind, shortened(&block.text));
    }
    if let Some(chunks) = &inspected.chunks {
        let _ = writeln!(text, "\n{} chunks ({})", chunks.len(), inspected.chunker);
        for chunk in chunks {
            let path = chunk.heading_path.join(" > ");
            let _ = writeln!(text, "  #{} {} tokens, {path}", chunk.index, chunk.token_count);
            let _ = match full {
                true => writeln!(text, "{}\n", chunk.indexed),
                false => writeln!(text, "     {}", shortened(&chunk.display)),
            };
        }
    }
    if inspected.inside_count > 0 {
        let _ = writeln!(text, "\n{} files inside, each a document of its own", inspected.inside_count);
        inspected.inside.iter().for_each(|child| {
            let _ = writeln!(text, "  {child}");
        });
    }
    text
}

/// One line of at most [`SHOWN_CHARACTERS`] characters.
fn shortened(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN_CHARACTERS {
        return line;
    }
    line.chars().take(SHOWN_CHARACTERS - 1).chain(['…']).collect()
}
