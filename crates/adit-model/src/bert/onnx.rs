//! The smallest ONNX writer that holds our graphs: protobuf wire format by hand
//! (<https://protobuf.dev/programming-guides/encoding/>, field numbers of `onnx.proto3`, IR version 8).
//! Small constants lie inside the message, weights in one external data file.

/// Name of the external data file, beside the graph.
pub(crate) const DATA_FILE: &str = "weights.data";

const DATA_ALIGNMENT: usize = 64;
const ELEMENT_FLOAT: u64 = 1;
const ELEMENT_UINT8: u64 = 2;
const ELEMENT_INT8: u64 = 3;
const ELEMENT_INT32: u64 = 6;
const ELEMENT_INT64: u64 = 7;

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn integer(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn float(&mut self, field: u64, value: f32) {
        self.varint(field << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn text(&mut self, field: u64, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    fn message(&mut self, field: u64, value: &Self) {
        self.bytes(field, &value.0);
    }
}

/// An operator's attribute.
pub(crate) enum Attribute<'a> {
    /// A number.
    Float(&'a str, f32),
    /// A whole number.
    Integer(&'a str, i64),
    /// Whole numbers.
    Integers(&'a str, &'a [i64]),
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        let mut attribute = Message::default();
        match self {
            Self::Float(name, value) => {
                attribute.text(1, name);
                attribute.float(2, *value);
                attribute.integer(20, 1);
            }
            Self::Integer(name, value) => {
                attribute.text(1, name);
                attribute.integer(3, value.cast_unsigned());
                attribute.integer(20, 2);
            }
            Self::Integers(name, values) => {
                attribute.text(1, name);
                for value in *values {
                    attribute.integer(8, value.cast_unsigned());
                }
                attribute.integer(20, 7);
            }
        }
        attribute
    }
}

/// A graph and its weights, as the two files rten loads.
pub(crate) struct OnnxModel {
    /// The serialised `ModelProto`.
    pub(crate) graph: Vec<u8>,
    /// The external data file.
    pub(crate) data: Vec<u8>,
    /// Length of the data before the table that was written last, the word embeddings.
    pub(crate) checked_bytes: usize,
}

/// Builds an ONNX graph in topological order.
#[derive(Default)]
pub(crate) struct OnnxBuilder {
    graph: Message,
    data: Vec<u8>,
    value_count: usize,
    last_offset: usize,
}

impl OnnxBuilder {
    /// An input `[batch, sequence]` of 32-bit integers.
    pub(crate) fn token_input(&mut self, name: &str) {
        let info = value_info(name, ELEMENT_INT32, &[Err("batch"), Err("sequence")]);
        self.graph.message(11, &info);
    }

    /// Names the graph's output `[batch, sequence, width]`.
    pub(crate) fn output(&mut self, name: &str, width: usize) {
        let info = value_info(name, ELEMENT_FLOAT, &[Err("batch"), Err("sequence"), Ok(width)]);
        self.graph.message(12, &info);
    }

    /// Names the graph's output `[batch, 1, width]`.
    pub(crate) fn output_row(&mut self, name: &str, width: usize) {
        let info = value_info(name, ELEMENT_FLOAT, &[Err("batch"), Ok(1), Ok(width)]);
        self.graph.message(12, &info);
    }

    /// An operator of the default domain with one output; returns the output's name.
    pub(crate) fn operator(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let output = self.fresh(kind);
        self.node("", kind, inputs, &[&output], attributes);
        output
    }

    /// An operator of the `com.microsoft` domain with one output; returns the output's name.
    pub(crate) fn contrib(&mut self, kind: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let output = self.fresh(kind);
        self.node("com.microsoft", kind, inputs, &[&output], attributes);
        output
    }

    /// A float32 constant in the data file.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let offset = self.align();
        self.data.reserve(values.len() * 4);
        for value in values {
            self.data.extend_from_slice(&value.to_le_bytes());
        }
        self.external(name, ELEMENT_FLOAT, shape, offset)
    }

    /// An int8 constant in the data file.
    pub(crate) fn bytes(&mut self, name: &str, shape: &[usize], values: &[i8]) -> String {
        let offset = self.align();
        self.data.extend(values.iter().map(|value| value.cast_unsigned()));
        self.external(name, ELEMENT_INT8, shape, offset)
    }

    /// An int64 vector (a shape) inside the graph.
    pub(crate) fn shape(&mut self, name: &str, values: &[i64]) -> String {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.inline(name, ELEMENT_INT64, &[values.len()], &raw)
    }

    /// A float32 scalar inside the graph.
    pub(crate) fn scalar(&mut self, name: &str, value: f32) -> String {
        self.inline(name, ELEMENT_FLOAT, &[], &value.to_le_bytes())
    }

    /// An int8 scalar inside the graph.
    pub(crate) fn byte_scalar(&mut self, name: &str, value: i8) -> String {
        self.inline(name, ELEMENT_INT8, &[], &value.to_le_bytes())
    }

    /// A uint8 scalar inside the graph.
    pub(crate) fn unsigned_byte_scalar(&mut self, name: &str, value: u8) -> String {
        self.inline(name, ELEMENT_UINT8, &[], &[value])
    }

    /// The finished model.
    pub(crate) fn finish(mut self) -> OnnxModel {
        self.graph.text(2, "bert");
        let mut model = Message::default();
        model.integer(1, 8);
        model.text(2, "adit");
        model.message(7, &self.graph);
        for (domain, version) in [("", 20), ("com.microsoft", 1)] {
            let mut import = Message::default();
            import.text(1, domain);
            import.integer(2, version);
            model.message(8, &import);
        }
        OnnxModel { graph: model.0, data: self.data, checked_bytes: self.last_offset }
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.value_count += 1;
        format!("{kind}_{}", self.value_count)
    }

    fn node(
        &mut self,
        domain: &str,
        kind: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute<'_>],
    ) {
        let mut node = Message::default();
        for input in inputs {
            node.text(1, input);
        }
        for output in outputs {
            node.text(2, output);
        }
        node.text(3, &format!("node_{}", outputs.first().unwrap_or(&kind)));
        node.text(4, kind);
        for attribute in attributes {
            node.message(5, &attribute.message());
        }
        if !domain.is_empty() {
            node.text(7, domain);
        }
        self.graph.message(1, &node);
    }

    /// Pads the data file so that a mapped tensor is aligned for every SIMD load.
    fn align(&mut self) -> usize {
        let aligned = self.data.len().next_multiple_of(DATA_ALIGNMENT);
        self.data.resize(aligned, 0);
        self.last_offset = aligned;
        aligned
    }

    fn external(&mut self, name: &str, element: u64, shape: &[usize], offset: usize) -> String {
        let mut tensor = tensor_header(name, element, shape);
        let length = self.data.len() - offset;
        for (key, value) in [
            ("location", DATA_FILE.to_owned()),
            ("offset", offset.to_string()),
            ("length", length.to_string()),
        ] {
            let mut entry = Message::default();
            entry.text(1, key);
            entry.text(2, &value);
            tensor.message(13, &entry);
        }
        tensor.integer(14, 1);
        self.graph.message(5, &tensor);
        name.to_owned()
    }

    fn inline(&mut self, name: &str, element: u64, shape: &[usize], raw: &[u8]) -> String {
        let mut tensor = tensor_header(name, element, shape);
        tensor.bytes(9, raw);
        self.graph.message(5, &tensor);
        name.to_owned()
    }
}

fn tensor_header(name: &str, element: u64, shape: &[usize]) -> Message {
    let mut tensor = Message::default();
    for size in shape {
        tensor.integer(1, *size as u64);
    }
    tensor.integer(2, element);
    tensor.text(8, name);
    tensor
}

/// A value with its type; a dimension is a number or a name.
fn value_info(name: &str, element: u64, dimensions: &[Result<usize, &str>]) -> Message {
    let mut shape = Message::default();
    for dimension in dimensions {
        let mut message = Message::default();
        match dimension {
            Ok(size) => message.integer(1, *size as u64),
            Err(name) => message.text(2, name),
        }
        shape.message(1, &message);
    }
    let mut tensor = Message::default();
    tensor.integer(1, element);
    tensor.message(2, &shape);
    let mut kind = Message::default();
    kind.message(1, &tensor);
    let mut info = Message::default();
    info.text(1, name);
    info.message(2, &kind);
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_and_fields_follow_the_wire_format() {
        // The examples of the encoding guide: field 1 = 150, and field 2 = "testing".
        let mut message = Message::default();
        message.integer(1, 150);
        message.text(2, "testing");
        assert_eq!(message.0, b"\x08\x96\x01\x12\x07testing");
    }

    #[test]
    fn every_tensor_in_the_data_file_is_aligned() {
        let mut builder = OnnxBuilder::default();
        builder.bytes("a", &[3], &[1, -1, 2]);
        builder.floats("b", &[1], &[1.0]);
        let model = builder.finish();
        assert_eq!(model.data.len(), 68);
        assert_eq!(&model.data[64..], &1.0_f32.to_le_bytes());
    }
}
