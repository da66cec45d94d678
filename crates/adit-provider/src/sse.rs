use crate::http::HttpFailure;

/// An event's text is refused beyond this; a provider's events are a thousandth of it.
const MAX_EVENT_BYTES: usize = 8 << 20;

/// One server-sent event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// Its type; empty where the stream does not name one.
    pub(crate) name: String,
    /// Its data, lines joined by line feeds.
    pub(crate) data: String,
}

/// Reads server-sent events from bytes that come in pieces cut anywhere (WHATWG HTML, 9.2.6). Ids, pauses
/// and comments are of no use here and skipped; an event that is not closed by an empty line is dropped, as
/// the standard has it.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    line: Vec<u8>,
    /// The last byte was a carriage return, so a line feed that follows belongs to it.
    after_return: bool,
    started: bool,
    event: Event,
    has_data: bool,
}

impl EventReader {
    /// The events that `bytes` complete.
    ///
    /// # Errors
    /// An event that is too long, or no UTF-8.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Vec<Event>, HttpFailure> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ => {
                    self.line.push(byte);
                    if self.line.len() + self.event.data.len() > MAX_EVENT_BYTES {
                        return Err(HttpFailure::unreadable("an event of the stream is too long").billed());
                    }
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<Event>, HttpFailure> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8(bytes)
            .map_err(|_| HttpFailure::unreadable("the stream is not UTF-8").billed())?;
        let line = if self.started { &line[..] } else { line.strip_prefix('\u{feff}').unwrap_or(&line) };
        self.started = true;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.to_owned(),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(stream: &[u8]) -> Vec<Event> {
        EventReader::default().read(stream).unwrap()
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn the_standards_examples_are_read() {
        assert_eq!(all(b"data: YHOO\ndata: +2\ndata: 10\n\n"), [event("", "YHOO\n+2\n10")]);
        let stream =
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        assert_eq!(
            all(stream),
            [event("", "first event"), event("", "second event"), event("", " third event")]
        );
        assert_eq!(all(b"data\n\ndata\ndata\n\ndata:"), [event("", ""), event("", "\n")]);
        assert_eq!(all(b"\xef\xbb\xbfevent: add\r\ndata: 7\r\n\r\n"), [event("add", "7")]);
        assert_eq!(all(b"event: lost\n\ndata: x\r\rdata: cut"), [event("", "x")]);
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        assert!(EventReader::default().read(b"data: \xff\n").is_err());
        let mut reader = EventReader::default();
        let line = vec![b'a'; MAX_EVENT_BYTES + 1];
        assert!(reader.read(&line).is_err());
    }

    proptest! {
        /// However the bytes are cut, the events are the same.
        #[test]
        fn cuts_do_not_matter(
            lines in prop::collection::vec(("(data|event|id|:|)(:| |)[a-z\u{e9}\u{20ac}]{0,5}", "(\n|\r|\r\n|\n\n)"), 0..30),
            cuts in prop::collection::vec(1_usize..6, 1..10),
        ) {
            let stream: String = lines.iter().flat_map(|(line, end)| [line.as_str(), end.as_str()]).collect();
            let whole = all(stream.as_bytes());
            let mut reader = EventReader::default();
            let mut pieces = Vec::new();
            let mut rest = stream.as_bytes();
            for &cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.extend(reader.read(piece).unwrap());
                rest = after;
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
