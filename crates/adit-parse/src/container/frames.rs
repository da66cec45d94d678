//! How the files of a container travel from the guarded child process to its parent: for each file a
//! header as JSON with its length before it, then the bytes; at the end the result.

use std::io::{Read, Write};

use adit_core::{ChildFile, Expansion, ParseError};
use serde::{Deserialize, Serialize};

/// A header holds one path and one error.
const MAX_HEADER_BYTES: u32 = 1 << 20;

/// The header of a frame.
#[derive(Debug, Serialize, Deserialize)]
enum Header {
    Child { path: String, modified_unix_ms: Option<i64>, content: Result<u64, ParseError> },
    End(Result<Option<Expansion>, ParseError>),
}

/// What one read from the pipe gives.
#[derive(Debug)]
pub(crate) enum Frame {
    /// One file.
    Child(ChildFile),
    /// All files were sent.
    End(Result<Option<Expansion>, ParseError>),
}

/// Sends one file.
pub(crate) fn write_child(pipe: &mut impl Write, child: &ChildFile) -> std::io::Result<()> {
    let content = child.content.as_ref().map(|bytes| bytes.len() as u64).map_err(Clone::clone);
    let header =
        Header::Child { path: child.path.clone(), modified_unix_ms: child.modified_unix_ms, content };
    write_header(pipe, &header)?;
    if let Ok(bytes) = &child.content {
        pipe.write_all(bytes)?;
    }
    pipe.flush()
}

/// Sends the end.
pub(crate) fn write_end(
    pipe: &mut impl Write,
    result: Result<Option<Expansion>, ParseError>,
) -> std::io::Result<()> {
    write_header(pipe, &Header::End(result))?;
    pipe.flush()
}

fn write_header(pipe: &mut impl Write, header: &Header) -> std::io::Result<()> {
    let json = serde_json::to_vec(header)?;
    let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
    pipe.write_all(&length.to_le_bytes())?;
    pipe.write_all(&json)
}

/// Receives one frame. A file of more than `max_file_bytes` is an error, whatever the header says.
pub(crate) fn read_frame(pipe: &mut impl Read, max_file_bytes: u64) -> Result<Frame, String> {
    let broken = |error: std::io::Error| format!("its pipe broke: {error}");
    let mut length = [0; 4];
    pipe.read_exact(&mut length).map_err(broken)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        return Err(format!("it announces a header of {length} bytes"));
    }
    let mut json = vec![0; length as usize];
    pipe.read_exact(&mut json).map_err(broken)?;
    let header = serde_json::from_slice(&json).map_err(|error| format!("its header is no JSON: {error}"))?;
    match header {
        Header::End(result) => Ok(Frame::End(result)),
        Header::Child { path, modified_unix_ms, content } => {
            let content = match content {
                Ok(size_bytes) if size_bytes > max_file_bytes => {
                    return Err(format!("it announces a file of {size_bytes} bytes"));
                }
                Ok(size_bytes) => {
                    let mut bytes = Vec::new();
                    pipe.take(size_bytes).read_to_end(&mut bytes).map_err(broken)?;
                    if (bytes.len() as u64) < size_bytes {
                        return Err("a file ends in the middle".to_owned());
                    }
                    Ok(bytes)
                }
                Err(error) => Err(error),
            };
            Ok(Frame::Child(ChildFile { path, modified_unix_ms, content }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_travel_and_broken_ones_are_errors() {
        let child =
            ChildFile { path: "a/b".to_owned(), modified_unix_ms: Some(5), content: Ok(b"words".to_vec()) };
        let locked = ChildFile { content: Err(ParseError::PasswordNeeded), ..child.clone() };
        let mut pipe = Vec::new();
        write_child(&mut pipe, &child).unwrap();
        write_child(&mut pipe, &locked).unwrap();
        write_end(&mut pipe, Ok(None)).unwrap();
        let mut reader = pipe.as_slice();
        for expected in [&child, &locked] {
            let Frame::Child(found) = read_frame(&mut reader, 5).unwrap() else { panic!("no file") };
            assert_eq!(&found, expected);
        }
        assert!(matches!(read_frame(&mut reader, 5), Ok(Frame::End(Ok(None)))));
        assert!(read_frame(&mut reader, 5).is_err());
        assert!(read_frame(&mut pipe.as_slice(), 4).unwrap_err().contains("5 bytes"));
        let cut = &pipe[..pipe.len() / 4];
        assert!(read_frame(&mut &cut[..], 5).is_err());
    }
}
