use crate::builder::DocumentBuilder;

/// Writes the plain text of a message: blank lines separate paragraphs, lines that begin with `>` are a
/// quotation (RFC 3676, 4.5), which loses its outermost mark.
pub(crate) fn write(text: &str, builder: &mut DocumentBuilder) {
    let mut lines: Vec<&str> = Vec::new();
    let mut is_quote = false;
    for line in text.lines() {
        let line = line.trim_end();
        let quoted = line.strip_prefix('>').map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
        let ends = match quoted {
            Some(_) => !is_quote,
            None => is_quote || line.is_empty(),
        };
        if ends {
            write_lines(&mut lines, is_quote, builder);
        }
        is_quote = quoted.is_some();
        lines.push(quoted.unwrap_or(line));
    }
    write_lines(&mut lines, is_quote, builder);
}

fn write_lines(lines: &mut Vec<&str>, is_quote: bool, builder: &mut DocumentBuilder) {
    let words = lines.join("\n");
    lines.clear();
    if is_quote { builder.quote(&words) } else { builder.paragraph(&words) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::{BlockKind, MediaType};

    #[test]
    fn quotations_are_blocks_of_their_own() {
        let mut builder = DocumentBuilder::new();
        write("Yes.\nSure.\n\nAnn wrote:\n> may I?\n>\n>> earlier\nBye\n", &mut builder);
        let document = builder.finish(MediaType::Email);
        assert_eq!(document.text, "Yes.\nSure.\n\nAnn wrote:\n\nmay I?\n\n> earlier\n\nBye");
        let quotes = document.blocks.iter().filter(|block| block.kind == BlockKind::Quote);
        assert_eq!(quotes.count(), 1);
    }
}
