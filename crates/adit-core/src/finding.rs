use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TextRange;

/// What is suspicious about a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Text in (nearly) the colour of what lies behind it.
    NearBackground,
    /// Text too small to be read.
    TinyFont,
    /// Text its document says is not to be shown (HTML `hidden`, `display:none`; Word's hidden text).
    NotDisplayed,
    /// Text placed outside the page or window.
    OffPage,
    /// The alternative text of a picture: shown only where the picture is not.
    AlternativeText,
    /// Characters without a glyph: zero-width ones in number, or the tag characters U+E0000 to U+E007F.
    InvisibleCharacters,
    /// Characters that change the direction of writing so that the eye reads another order than a program.
    DirectionOverride,
    /// Words that read like instructions to a language model.
    InstructionLike,
}

impl FindingKind {
    /// Whether a reader of the document does not see this text, so that it must not be cited.
    #[must_use]
    pub fn is_hidden(self) -> bool {
        matches!(
            self,
            Self::NearBackground
                | Self::TinyFont
                | Self::NotDisplayed
                | Self::OffPage
                | Self::InvisibleCharacters
        )
    }

    /// Whether no claim may rest on this text: readers do not see it, or it speaks to the model and not to them.
    #[must_use]
    pub fn forbids_citing(self) -> bool {
        self.is_hidden() || self == Self::InstructionLike
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NearBackground => "near_background",
            Self::TinyFont => "tiny_font",
            Self::NotDisplayed => "not_displayed",
            Self::OffPage => "off_page",
            Self::AlternativeText => "alternative_text",
            Self::InvisibleCharacters => "invisible_characters",
            Self::DirectionOverride => "direction_override",
            Self::InstructionLike => "instruction_like",
        })
    }
}

/// One suspicious piece of a document's extracted text. The text itself is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFinding {
    /// What is suspicious.
    pub kind: FindingKind,
    /// Where, in bytes of the extracted text.
    pub range: TextRange,
    /// Its first characters on one line, invisible ones written as `U+200B`.
    pub excerpt: String,
}
