use std::collections::HashMap;

/// A longer path is cut at its end; file systems allow 4096 bytes.
const MAX_PATH_BYTES: usize = 1024;

/// Makes the paths of one container safe to name documents with, and different from each other.
#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: HashMap<String, u32>,
}

impl UniqueNames {
    /// `path` without a way out of the container; a second one of the same path gets a number.
    pub(crate) fn take(&mut self, path: &str) -> String {
        let path = clean_path(path);
        let mut candidate = path.clone();
        while self.taken.contains_key(&candidate) {
            // Rises with each turn, so that many equal names do not look for a free number from 2 each.
            let count = self.taken.entry(path.clone()).or_insert(1);
            *count = count.saturating_add(1);
            candidate = numbered(&path, *count);
        }
        self.taken.insert(candidate.clone(), 1);
        candidate
    }
}

/// `a/b.txt` becomes `a/b (2).txt`.
fn numbered(path: &str, number: u32) -> String {
    let stem_end = path.rfind('.').filter(|dot| path.rfind('/').map_or(0, |slash| slash + 1) < *dot);
    let (stem, ending) = path.split_at_checked(stem_end.unwrap_or(path.len())).unwrap_or((path, ""));
    format!("{stem} ({number}){ending}")
}

/// Relative, with `/`, without `.`, `..`, control characters and white space at the ends of its parts.
fn clean_path(path: &str) -> String {
    let parts = path.split(['/', '\\']).map(|part| {
        let part: String = part.chars().filter(|one| !one.is_control()).collect();
        part.trim().to_owned()
    });
    let mut clean =
        parts.filter(|part| !matches!(part.as_str(), "" | "." | "..")).collect::<Vec<_>>().join("/");
    // A separator inside a name would look like a container.
    while clean.contains(adit_core::CHILD_SEPARATOR) {
        clean = clean.replace(adit_core::CHILD_SEPARATOR, "/");
    }
    if clean.len() > MAX_PATH_BYTES {
        let end = (0..=MAX_PATH_BYTES).rev().find(|end| clean.is_char_boundary(*end)).unwrap_or(0);
        clean.truncate(end);
    }
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_its_container() {
        for (path, expected) in [
            ("../../etc/passwd", "etc/passwd"),
            ("/abs/a.txt", "abs/a.txt"),
            ("C:\\x\\y.txt", "C:/x/y.txt"),
            ("a//./b", "a/b"),
            ("..", "unnamed"),
            ("bell\u{7}.txt", "bell.txt"),
            ("wow!/b", "wow/b"),
        ] {
            assert_eq!(clean_path(path), expected);
        }
        assert!(clean_path(&"\u{e9}".repeat(2000)).len() <= MAX_PATH_BYTES);
    }

    #[test]
    fn equal_names_become_different_ones() {
        let mut names = UniqueNames::default();
        let taken: Vec<String> = ["a/b.txt", "a/b.txt", "a/b (2).txt", "a/b.txt", ".x", ".x"]
            .map(|path| names.take(path))
            .to_vec();
        let different: std::collections::HashSet<_> = taken.iter().collect();
        assert_eq!(different.len(), taken.len(), "{taken:?}");
        assert_eq!(&taken[..2], ["a/b.txt", "a/b (2).txt"]);
        assert_eq!(taken[5], ".x (2)");
    }
}
