/// Where the text of a group goes (RTF 1.9.1, "Destinations").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    Body,
    /// Not text for readers.
    Skipped,
    FontTable,
    StyleSheet,
    /// A footnote or endnote.
    Note,
    Comment,
    ListMarker,
    HeaderFooter,
    Info(InfoKey),
    /// Skipped and counted.
    Picture,
    /// The Unicode form of a text inside a skipped group.
    Unicode,
    /// The same as around the group.
    Same,
}

/// A document property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InfoKey {
    Title,
    Author,
    Subject,
    Keywords,
    Description,
    Created,
    Modified,
}

impl InfoKey {
    /// Its key in the metadata.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Author => "author",
            Self::Subject => "subject",
            Self::Keywords => "keywords",
            Self::Description => "description",
            Self::Created => "created",
            Self::Modified => "modified",
        }
    }
}

impl Destination {
    /// The destination that a control word opens, if it opens one.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "fonttbl" => Self::FontTable,
            "stylesheet" => Self::StyleSheet,
            "footnote" => Self::Note,
            "annotation" => Self::Comment,
            "listtext" | "pntext" => Self::ListMarker,
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf" => {
                Self::HeaderFooter
            }
            "title" => Self::Info(InfoKey::Title),
            "author" => Self::Info(InfoKey::Author),
            "subject" => Self::Info(InfoKey::Subject),
            "keywords" => Self::Info(InfoKey::Keywords),
            "doccomm" => Self::Info(InfoKey::Description),
            "creatim" => Self::Info(InfoKey::Created),
            "revtim" => Self::Info(InfoKey::Modified),
            "pict" => Self::Picture,
            "ud" => Self::Unicode,
            "shpinst" | "shptxt" | "fldrslt" | "shppict" => Self::Same,
            "colortbl" | "fldinst" | "nonshppict" | "shprslt" | "sp" | "objdata" | "xe" | "tc" | "upr"
            | "private" | "operator" | "manager" | "company" | "category" | "hlinkbase" | "comment"
            | "printim" | "buptim" | "listtable" | "listoverridetable" | "revtbl" | "rsidtbl"
            | "generator" | "ftnsep" | "ftnsepc" | "ftncn" | "aftnsep" | "aftnsepc" | "aftncn"
            | "themedata" | "datastore" | "datafield" | "bkmkstart" | "bkmkend" | "atnid" | "atnauthor"
            | "filetbl" | "pnseclvl" | "pntxta" | "pntxtb" | "nesttableprops" | "nonesttables"
            | "template" => Self::Skipped,
            _ => return None,
        })
    }
}
