use mail_parser::{Message, MimeHeaders, PartType};

/// Attached messages inside attached messages that are looked into.
const MAX_NESTED_MESSAGES: u8 = 5;

/// One attachment that is to be a document of its own.
pub(crate) struct Attachment {
    /// The name its sender gave it.
    pub(crate) name: String,
    /// Its bytes, decoded from their transfer encoding.
    pub(crate) bytes: Vec<u8>,
}

/// The name under which a part is a document of its own: any part with a file name that is no message.
/// Messages in messages are read as part of the outer one.
pub(crate) fn document_name(part: &mail_parser::MessagePart<'_>) -> Option<String> {
    if matches!(part.body, PartType::Message(_) | PartType::Multipart(_)) {
        return None;
    }
    part.attachment_name().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The attachments of a message and of the messages attached to it.
pub(crate) fn attachments(message: &Message<'_>) -> Vec<Attachment> {
    let mut found = Vec::new();
    collect(message, 0, &mut found);
    found
}

fn collect(message: &Message<'_>, depth: u8, found: &mut Vec<Attachment>) {
    for part in message.attachments() {
        match &part.body {
            PartType::Message(inner) if depth < MAX_NESTED_MESSAGES => collect(inner, depth + 1, found),
            _ => {
                if let Some(name) = document_name(part) {
                    // Text comes decoded to UTF-8, which is what the parser of its type then finds.
                    found.push(Attachment { name, bytes: part.contents().to_vec() });
                }
            }
        }
    }
}
