//! One file of each format, with an honest sentence and a planted one.

use crate::packages::{docx, epub, escaped, odt, pptx, xlsx};

/// Name and bytes of a file of every format that holds `honest` and then `planted`.
pub(crate) fn every_format(honest: &str, planted: &str) -> Vec<(&'static str, Vec<u8>)> {
    let xml = (escaped(honest), escaped(planted));
    let text = |text: String| text.into_bytes();
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let html = format!("<html><body><p>{}</p><p>{}</p></body></html>", xml.0, xml.1);
    vec![
        (
            "a.md",
            text(format!("# Refunds\n\n{honest}\n\n{}\n", planted.replace('<', "\\<").replace('*', "\\*"))),
        ),
        ("a.txt", text(format!("{honest}\n\n{planted}\n"))),
        ("a.html", text(html.clone())),
        (
            "a.csv",
            text(format!("topic,text\nrefunds,\"{honest}\"\nmore,\"{}\"\n", planted.replace('"', "\"\""))),
        ),
        ("a.json", text(format!("{{\"refunds\": {}, \"more\": {}}}", json(honest), json(planted)))),
        ("a.xml", text(format!("<?xml version=\"1.0\"?><doc><p>{}</p><p>{}</p></doc>", xml.0, xml.1))),
        ("a.rst", text(format!("Refunds\n=======\n\n{honest}\n\n{planted}\n"))),
        ("a.adoc", text(format!("= Refunds\n\n{honest}\n\n{planted}\n"))),
        ("a.org", text(format!("* Refunds\n\n{honest}\n\n{planted}\n"))),
        ("a.rtf", text(rtf(&[honest, planted]))),
        (
            "a.eml",
            text(format!(
                "From: a@example.org\r\nTo: b@example.org\r\nSubject: Refunds\r\nContent-Type: text/plain; \
                 charset=utf-8\r\n\r\n{honest}\r\n\r\n{planted}\r\n"
            )),
        ),
        (
            "a.srt",
            text(format!(
                "1\n00:00:01,000 --> 00:00:02,000\n{honest}\n\n2\n00:01:03,000 --> 00:01:04,000\n{planted}\n"
            )),
        ),
        (
            "a.ipynb",
            text(format!(
                "{{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {{}}, \"cells\": [{{\"cell_type\": \"raw\", \
                 \"metadata\": {{}}, \"source\": [{}]}}, {{\"cell_type\": \"code\", \"metadata\": {{}}, \"outputs\": [], \
                 \"execution_count\": null, \"source\": [{}]}}]}}",
                json(honest),
                json(&format!("# {planted}"))
            )),
        ),
        ("a.py", text(format!("# {honest}\nrefund = 1\n\n\n# {planted}\nother = 2\n"))),
        ("a.pdf", pdf(&[honest, planted])),
        ("a.docx", docx(&[honest, planted], "")),
        ("a.pptx", pptx(&[honest, planted])),
        ("a.xlsx", xlsx(&[honest, planted])),
        ("a.odt", odt(&[honest, planted])),
        ("a.epub", epub(&format!("<html xmlns=\"http://www.w3.org/1999/xhtml\">{}", &html[6..]))),
    ]
}

fn rtf(paragraphs: &[&str]) -> String {
    let words: String = paragraphs
        .iter()
        .map(|words| format!("{}\\par ", words.replace('\\', "\\\\").replace('{', "\\{").replace('}', "\\}")))
        .collect();
    format!("{{\\rtf1\\ansi {words}}}")
}

/// One page in Helvetica; each text is broken into lines and stands apart from the next.
fn pdf(paragraphs: &[&str]) -> Vec<u8> {
    let mut shown = String::new();
    for paragraph in paragraphs {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if line.len() + word.len() > 70 {
                shown += &pdf_line(&line);
                line.clear();
            }
            line += word;
            line.push(' ');
        }
        shown += &pdf_line(&line);
        shown += "0 -40 Td ";
    }
    let content = format!("BT /F1 12 Tf 60 720 Td {shown}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in (1..).zip(&objects) {
        offsets.push(file.len());
        file.extend(format!("{index} 0 obj\n{object}\nendobj\n").bytes());
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    file.extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}

fn pdf_line(line: &str) -> String {
    let escaped = line.trim().replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("({escaped}) Tj 0 -14 Td ")
}
