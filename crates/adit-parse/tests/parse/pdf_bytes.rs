//! Writes small PDF files by hand, so that no test depends on a PDF library.

/// A PDF whose pages show the given lines in Helvetica; a page without lines shows nothing.
pub(crate) fn pdf_with_pages(pages: &[&[&str]]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, lines) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * page
        ));
        let shown: Vec<String> = lines.iter().map(|line| format!("({line}) Tj 0 -16 Td")).collect();
        let content = match shown.is_empty() {
            true => String::new(),
            false => format!("BT /F1 12 Tf 72 720 Td {} ET", shown.join(" ")),
        };
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let table_offset = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    file.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table_offset}\n%%EOF\n").bytes(),
    );
    file
}
