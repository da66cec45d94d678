use quick_xml::Reader;
use quick_xml::events::Event;

/// More children than this are no record.
const MAX_RECORD_CHILDREN: usize = 24;

/// What an element is, seen from what stands directly in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementShape {
    /// Words or nothing.
    Leaf,
    /// Words with elements among them: one paragraph.
    Mixed,
    /// Only elements.
    Container,
    /// Only leaves, each with a name of its own: one thing with its properties.
    Record,
}

#[derive(Default)]
struct OpenElement {
    number: usize,
    has_text: bool,
    has_grandchildren: bool,
    has_same_names: bool,
    child_count: usize,
    child_names: Vec<String>,
}

impl OpenElement {
    fn shape(&self) -> ElementShape {
        match (self.child_count, self.has_text) {
            (0, _) => ElementShape::Leaf,
            (_, true) => ElementShape::Mixed,
            (1, false) => ElementShape::Container,
            _ if self.has_grandchildren || self.has_same_names => ElementShape::Container,
            (count, _) if count > MAX_RECORD_CHILDREN => ElementShape::Container,
            _ => ElementShape::Record,
        }
    }

    fn add_child(&mut self, name: &str) {
        self.child_count += 1;
        if self.has_same_names || self.child_count > MAX_RECORD_CHILDREN {
            return;
        }
        self.has_same_names = self.child_names.iter().any(|known| known == name);
        self.child_names.push(name.to_owned());
    }
}

/// The shape of each element in the order of their start tags. Reads once without recursion; the
/// document type is skipped, so no entity is ever expanded.
///
/// # Errors
/// Says what is not well formed.
pub(crate) fn element_shapes(text: &str) -> Result<Vec<ElementShape>, String> {
    let mut shapes = Vec::new();
    let mut open: Vec<OpenElement> = Vec::new();
    let mut reader = Reader::from_str(text);
    loop {
        let event =
            reader.read_event().map_err(|error| format!("{error} (at byte {})", reader.error_position()))?;
        match event {
            Event::Start(tag) => {
                add_to_parent(&mut open, tag.local_name().as_ref());
                open.push(OpenElement { number: shapes.len(), ..OpenElement::default() });
                shapes.push(ElementShape::Leaf);
            }
            Event::Empty(tag) => {
                add_to_parent(&mut open, tag.local_name().as_ref());
                shapes.push(ElementShape::Leaf);
            }
            Event::End(_) => {
                let Some(element) = open.pop() else { return Err("an end tag without a start".to_owned()) };
                if let Some(shape) = shapes.get_mut(element.number) {
                    *shape = element.shape();
                }
                if let Some(parent) = open.last_mut() {
                    parent.has_grandchildren |= element.child_count > 0;
                }
            }
            Event::Text(words) if !words.trim().is_empty() => note_text(&mut open)?,
            Event::CData(words) if !words.trim().is_empty() => note_text(&mut open)?,
            Event::GeneralRef(_) => note_text(&mut open)?,
            Event::Eof => break,
            _ => {}
        }
    }
    match (open.is_empty(), shapes.is_empty()) {
        (true, false) => Ok(shapes),
        (false, _) => Err(format!("{} elements are not closed", open.len())),
        (_, true) => Err("it has no element".to_owned()),
    }
}

fn add_to_parent(open: &mut [OpenElement], name: &str) {
    if let Some(parent) = open.last_mut() {
        parent.add_child(name);
    }
}

fn note_text(open: &mut [OpenElement]) -> Result<(), String> {
    let element = open.last_mut().ok_or("there are words outside of the outermost element")?;
    element.has_text = true;
    Ok(())
}
