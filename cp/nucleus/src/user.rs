//! What CP needs to know of a directory entry.

use crate::class::Classes;
use crate::console::edit::Editing;

/// A user.
#[derive(Clone, Debug, Default)]
pub struct User {
    pub userid: String,
    pub password: String,
    pub storage: u64,
    pub maximum_storage: u64,
    pub classes: Classes,
    pub editing: Editing,
    pub ipl: Option<String>,
    pub console: Option<u16>,
    /// Who may XAUTOLOG this user without a class for it.
    pub autologged_by: Vec<String>,
}

impl User {
    /// Whether LOGON asks for a password.
    pub fn needs_password(&self) -> bool {
        self.password != "NOPASS"
    }

    /// Whether somebody who offers `password` may log on here. A password that is still the user's own name is good
    /// only at the host itself.
    pub fn admits(&self, password: Option<&str>, local: bool) -> bool {
        match self.password.as_str() {
            "NOPASS" => true,
            "NOLOG" | "AUTOONLY" => false,
            own => password.is_some_and(|offered| offered.eq_ignore_ascii_case(own)) && (local || own != self.userid),
        }
    }

    /// Whether this user lets `userid`, who has no class for it, log it on.
    pub fn may_be_autologged_by(&self, userid: &str) -> bool {
        self.autologged_by.iter().any(|other| other == userid)
    }
}
