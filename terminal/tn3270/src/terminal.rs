//! What kind of terminal is at the other end: terminal types, models and screen sizes.

use crate::codepage::CodePage;
use crate::datastream::{Outbound, QueryReply, Size, Wcc};
use crate::screen::Screen;
use crate::tn3270e::Functions;

/// A 3278 or 3279 model: it decides the alternate screen size. The default size is 24 by 80 for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// 24 rows of 80 columns.
    M2,
    /// 32 rows of 80 columns.
    M3,
    /// 43 rows of 80 columns.
    M4,
    /// 27 rows of 132 columns.
    M5,
    /// Whatever the query reply says (`IBM-DYNAMIC`).
    Dynamic,
}

impl Model {
    /// The alternate screen size; 24 by 80 for [`Model::Dynamic`] until a query reply says more.
    pub fn size(self) -> Size {
        match self {
            Model::M2 | Model::Dynamic => Size::new(24, 80),
            Model::M3 => Size::new(32, 80),
            Model::M4 => Size::new(43, 80),
            Model::M5 => Size::new(27, 132),
        }
    }

    /// The model number as in a device type: 2 to 5; 0 for [`Model::Dynamic`].
    pub fn number(self) -> u8 {
        match self {
            Model::M2 => 2,
            Model::M3 => 3,
            Model::M4 => 4,
            Model::M5 => 5,
            Model::Dynamic => 0,
        }
    }
}

/// A 3270 terminal type taken apart: `IBM-3278-2-E`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalType {
    /// The machine type, 3275 to 3279 or 3179; 3278 for `IBM-DYNAMIC`.
    pub machine: u16,
    /// The model, from the number.
    pub model: Model,
    /// Whether the extended data stream is supported: the `-E` suffix, and `IBM-DYNAMIC`.
    pub extended: bool,
}

impl TerminalType {
    /// Reads a terminal type (RFC 1576, RFC 2355, RFC 1340 names); `None` for what is no 3270 display.
    pub fn parse(text: &str) -> Option<TerminalType> {
        let text = text.to_ascii_uppercase();
        if text == "IBM-DYNAMIC" {
            return Some(TerminalType { machine: 3278, model: Model::Dynamic, extended: true });
        }
        let mut parts = text.strip_prefix("IBM-")?.split('-');
        let machine: u16 = parts.next()?.parse().ok()?;
        if !matches!(machine, 3275..=3279 | 3179) {
            return None;
        }
        let model = match parts.next()? {
            "2" => Model::M2,
            "3" => Model::M3,
            "4" => Model::M4,
            "5" => Model::M5,
            _ => return None,
        };
        let extended = match parts.next() {
            None => false,
            Some("E") => true,
            Some(_) => return None,
        };
        parts.next().is_none().then_some(TerminalType { machine, model, extended })
    }
}

/// How 3270 records travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 1576: TERMINAL-TYPE, BINARY and END-OF-RECORD.
    Tn3270,
    /// RFC 2355: records with a header.
    Tn3270e,
}

/// A 3270 display, as negotiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// How records travel.
    pub protocol: Protocol,
    /// The terminal type as the client wrote it.
    pub terminal_type: String,
    /// The device name: the one asked for and granted, or the session's own.
    pub device_name: String,
    /// The model of the terminal type.
    pub model: Model,
    /// Rows of the alternate screen: what Erase/Write Alternate gives.
    pub rows: u16,
    /// Columns of the alternate screen.
    pub cols: u16,
    /// The extended data stream (SFE, SA, WSF) is supported.
    pub extended: bool,
    /// Seven colours are supported.
    pub color: bool,
    /// Extended highlighting (blinking, reverse video, underscore) is supported.
    pub highlighting: bool,
    /// The TN3270E functions in use; empty in classic TN3270.
    pub functions: Functions,
    /// The code page to write text in; see [`CodePage`].
    pub code_page: CodePage,
    /// What the terminal said of itself when queried; empty if it is not extended or did not answer.
    pub query: Vec<QueryReply>,
    /// The same as it was sent: AID X'88', then the query replies; empty likewise.
    pub query_record: Vec<u8>,
}

impl Display {
    /// The alternate screen size.
    pub fn size(&self) -> Size {
        Size::new(self.rows, self.cols)
    }

    /// Starts a screen of the alternate size, all of the display: Erase/Write Alternate in its code page.
    pub fn erase_write(&self, wcc: Wcc) -> Outbound {
        let mut outbound = Outbound::erase_write_alternate(self.size(), wcc);
        outbound.code_page(self.code_page);
        outbound
    }

    /// Starts a change of a screen that [`Display::erase_write`] made: Write in its code page.
    pub fn write(&self, wcc: Wcc) -> Outbound {
        let mut outbound = Outbound::write(self.size(), wcc);
        outbound.code_page(self.code_page);
        outbound
    }

    /// An empty [`Screen`] of this display's sizes and code page: the host's copy.
    pub fn screen(&self) -> Screen {
        Screen::new(self.default_size(), self.size()).with_code_page(self.code_page)
    }

    /// The default screen size, what Erase/Write gives: 24 by 80.
    pub fn default_size(&self) -> Size {
        Size::new(24, 80)
    }
}

/// What is at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// A 3270 display.
    Screen(Box<Display>),
    /// A network virtual terminal, line by line, with the terminal type it told, if any.
    Line {
        /// The first terminal type the client named, such as `XTERM`.
        terminal_type: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_types() {
        let t = |text| TerminalType::parse(text).map(|t| (t.machine, t.model, t.extended));
        assert_eq!(t("IBM-3278-2"), Some((3278, Model::M2, false)));
        assert_eq!(t("ibm-3279-4-e"), Some((3279, Model::M4, true)));
        assert_eq!(t("IBM-3278-5-E"), Some((3278, Model::M5, true)));
        assert_eq!(t("IBM-DYNAMIC"), Some((3278, Model::Dynamic, true)));
        for other in ["IBM-3287-1", "IBM-3278", "IBM-3278-9", "IBM-3278-2-E-E", "XTERM", "", "IBM-", "IBM-3278-2-X"] {
            assert_eq!(t(other), None, "{other}");
        }
    }
}
