use adit_core::{MediaType, ParseError};

use crate::package::Package;
use crate::xml_reader::{Element, XmlReader};

/// What Excel writes for readers that know no threads, before the words of the thread.
const THREAD_NOTICE: &str = "[Threaded comment]";

/// Reads the comments of an `.xlsx` file (ECMA-376 part 1, 18.7, and the threads of later versions) as
/// sentences that name their cell. `parts` are the names of all parts of the package.
///
/// # Errors
/// As reading a part.
pub(crate) fn read(bytes: &[u8], parts: &[String]) -> Result<Vec<String>, ParseError> {
    let mut package = Package::open(bytes, MediaType::Spreadsheet)?;
    let mut comments = Vec::new();
    for part in
        parts.iter().filter(|part| part.starts_with("xl/") && part.to_lowercase().contains("comments"))
    {
        let Some(text) = package.read_text(part)?.filter(|_| part.ends_with(".xml")) else { continue };
        let mut xml = XmlReader::new(&text, MediaType::Spreadsheet);
        let root = xml.root()?;
        while let Some(element) = xml.next_element(&root)? {
            if matches!(element.name(), "comment" | "threadedComment") {
                comments.extend(read_comment(&mut xml, &element)?);
            }
        }
    }
    Ok(comments)
}

fn read_comment(xml: &mut XmlReader<'_>, comment: &Element) -> Result<Option<String>, ParseError> {
    let cell = comment.attribute("ref").unwrap_or("a cell").to_owned();
    let words = xml.text_of(comment)?.split_whitespace().collect::<Vec<_>>().join(" ");
    // The thread itself stands in a part of its own.
    let is_kept = !words.is_empty() && !words.starts_with(THREAD_NOTICE);
    Ok(is_kept.then(|| format!("Comment on {cell}: {words}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::testing::zip_of;

    #[test]
    fn threads_are_read_once() {
        let old = "<comments><commentList><comment ref=\"A1\"><text><r><t>why </t></r><r><t>this?</t></r></text>\
                   </comment><comment ref=\"B2\"><text><t>[Threaded comment] old: low</t></text></comment>\
                   </commentList></comments>";
        let thread = "<ThreadedComments><threadedComment ref=\"B2\"><text>low</text></threadedComment>\
                      </ThreadedComments>";
        let parts = ["xl/comments1.xml", "xl/threadedComments/threadedComment1.xml"];
        let book = zip_of(&[(parts[0], old), (parts[1], thread)]);
        let comments = read(&book, &parts.map(str::to_owned)).unwrap();
        assert_eq!(comments, ["Comment on A1: why this?", "Comment on B2: low"]);
    }
}
