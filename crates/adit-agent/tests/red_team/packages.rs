//! Files that are zip archives of XML.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(crate) fn zip_of(parts: &[(&str, String)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

fn relations(kind: &str, target: &str) -> String {
    format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"r1\" Type=\"{OFFICE}/{kind}\" \
         Target=\"{target}\"/></Relationships>"
    )
}

fn types(part: &str, kind: &str) -> String {
    format!(
        "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" \
         ContentType=\"application/xml\"/><Override PartName=\"{part}\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.{kind}.main+xml\"/></Types>"
    )
}

/// `properties` are of the last paragraph's run, such as `<w:vanish/>`.
pub(crate) fn docx(paragraphs: &[&str], properties: &str) -> Vec<u8> {
    let last = paragraphs.len() - 1;
    let body: String = (0..)
        .zip(paragraphs)
        .map(|(place, words)| {
            let properties =
                if place == last { format!("<w:rPr>{properties}</w:rPr>") } else { String::new() };
            format!("<w:p><w:r>{properties}<w:t xml:space=\"preserve\">{}</w:t></w:r></w:p>", escaped(words))
        })
        .collect();
    zip_of(&[
        ("[Content_Types].xml", types("/word/document.xml", "wordprocessingml.document")),
        ("_rels/.rels", relations("officeDocument", "word/document.xml")),
        (
            "word/document.xml",
            format!(
                "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}\
                 </w:body></w:document>"
            ),
        ),
    ])
}

pub(crate) fn pptx(paragraphs: &[&str]) -> Vec<u8> {
    let words: String = paragraphs
        .iter()
        .map(|words| format!("<a:p><a:r><a:t>{}</a:t></a:r></a:p>", escaped(words)))
        .collect();
    let spaces = format!(
        "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"{OFFICE}\" \
         xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\""
    );
    zip_of(&[
        ("[Content_Types].xml", types("/ppt/presentation.xml", "presentationml.presentation")),
        ("_rels/.rels", relations("officeDocument", "ppt/presentation.xml")),
        (
            "ppt/presentation.xml",
            format!(
                "<p:presentation {spaces}><p:sldIdLst><p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst></p:presentation>"
            ),
        ),
        ("ppt/_rels/presentation.xml.rels", relations("slide", "slides/slide1.xml")),
        (
            "ppt/slides/slide1.xml",
            format!(
                "<p:sld {spaces}><p:cSld><p:spTree><p:sp><p:txBody>{words}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
            ),
        ),
    ])
}

pub(crate) fn xlsx(rows: &[&str]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let rows: String = (1..)
        .zip(rows)
        .map(|(row, words)| {
            format!(
                "<row r=\"{row}\"><c r=\"A{row}\" t=\"inlineStr\"><is><t>n{row}</t></is></c><c r=\"B{row}\" \
                 t=\"inlineStr\"><is><t>{}</t></is></c></row>",
                escaped(words)
            )
        })
        .collect();
    zip_of(&[
        ("[Content_Types].xml", types("/xl/workbook.xml", "spreadsheetml.sheet")),
        ("_rels/.rels", relations("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/>\
                 </sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", relations("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

pub(crate) fn odt(paragraphs: &[&str]) -> Vec<u8> {
    let words: String =
        paragraphs.iter().map(|words| format!("<text:p>{}</text:p>", escaped(words))).collect();
    let office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
    zip_of(&[
        ("mimetype", "application/vnd.oasis.opendocument.text".to_owned()),
        (
            "content.xml",
            format!(
                "<office:document-content xmlns:office=\"{office}\" \
                 xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:text>{words}\
                 </office:text></office:body></office:document-content>"
            ),
        ),
    ])
}

pub(crate) fn epub(html: &str) -> Vec<u8> {
    zip_of(&[
        ("mimetype", "application/epub+zip".to_owned()),
        (
            "META-INF/container.xml",
            "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile \
             full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>"
                .to_owned(),
        ),
        (
            "book.opf",
            "<package xmlns=\"http://www.idpf.org/2007/opf\"><metadata/><manifest><item id=\"a\" href=\"a.xhtml\" \
             media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"a\"/></spine></package>"
                .to_owned(),
        ),
        ("a.xhtml", html.to_owned()),
    ])
}
