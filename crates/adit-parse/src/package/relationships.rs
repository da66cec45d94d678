use adit_core::ParseError;

use crate::package::Package;
use crate::xml_reader::XmlReader;

/// One relationship of a part (ECMA-376 part 2, 6.5).
pub(crate) struct Relationship {
    pub(crate) id: String,
    /// The last segment of the type's address, the same in the transitional and the strict form.
    pub(crate) kind: String,
    /// Name of the part it leads to, from the root of the package.
    pub(crate) target: String,
}

/// The relationships of `part`, or of the whole package for an empty name. Those that lead out of the
/// package are left out.
///
/// # Errors
/// As reading a part; no relationships at all are no error.
pub(crate) fn read(package: &mut Package<'_>, part: &str) -> Result<Vec<Relationship>, ParseError> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let name =
        if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
    let Some(xml) = package.read_text(&name)? else { return Ok(Vec::new()) };
    let mut reader = XmlReader::new(&xml, package.media_type());
    let root = reader.root()?;
    let mut relationships = Vec::new();
    while let Some(element) = reader.next_element(&root)? {
        if element.name() != "Relationship" || element.attribute("TargetMode") == Some("External") {
            continue;
        }
        if let (Some(id), Some(kind), Some(target)) =
            (element.attribute("Id"), element.attribute("Type"), element.attribute("Target"))
        {
            relationships.push(Relationship {
                id: id.to_owned(),
                kind: kind.rsplit('/').next().unwrap_or(kind).to_owned(),
                target: resolve(folder, target),
            });
        }
    }
    Ok(relationships)
}

/// The part the package is about, by the relationship `officeDocument`, else `usual`.
///
/// # Errors
/// As reading a part.
pub(crate) fn main_part(package: &mut Package<'_>, usual: &str) -> Result<String, ParseError> {
    let relationships = read(package, "")?;
    let main = relationships.into_iter().find(|one| one.kind == "officeDocument").map(|one| one.target);
    Ok(main.filter(|name| package.contains(name)).unwrap_or_else(|| usual.to_owned()))
}

/// Where the relationship `id` leads.
pub(crate) fn target_of<'a>(relationships: &'a [Relationship], id: &str) -> Option<&'a str> {
    relationships.iter().find(|one| one.id == id).map(|one| one.target.as_str())
}

fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn targets_are_relative_to_their_part() {
        assert_eq!(resolve("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolve("ppt", "slides/s1.xml"), "ppt/slides/s1.xml");
        assert_eq!(resolve("word", "/word/footnotes.xml"), "word/footnotes.xml");
        assert_eq!(resolve("", "../../a.xml"), "a.xml");
    }
}
