//! What a system needs for a load: users in its directory, and a disk with the load's files that all users read.

use crate::load::{Load, READY, Source};
use std::fmt::Write;

/// The user that has the disk.
pub const LIBRARY: &str = "LIBRARY";

/// The disk's number.
pub const DISK: &str = "191";

/// The volume it lies on: its serial, and its file in the system's folder.
pub const VOLUME: (&str, &str) = ("WORK01", "volumes/work01.3390");

/// Its cylinders.
const CYLINDERS: u32 = 60;

/// Statements for SYSTEM CONFIG.
pub fn configuration() -> String {
    let (serial, file) = VOLUME;
    format!("\n* The disk with the files of a load.\nDASD 02F0 {file}\nUSER_VOLUME_LIST {serial}\n")
}

/// Statements for USER DIRECT: the load's users up to a number, and the one with the disk.
pub fn directory(load: &Load, users: usize) -> Result<String, String> {
    let (serial, _) = VOLUME;
    let mut text = format!(
        "\n* For the load {}.\nUSER {LIBRARY} {LIBRARY} 16M 16M G\n INCLUDE DEFAULT\n MACHINE ESA\n \
         LINK MAINT 190 190 RR\n MDISK {DISK} 3390 1 {CYLINDERS} {serial} MR ALL\n",
        load.name
    );
    for number in 1..=users {
        let identity = load.identity(number)?;
        writeln!(text, "USER {} {} 16M 16M G", identity.user, identity.password).expect("a string has room");
        load.users.directory.iter().for_each(|statement| writeln!(text, " {statement}").expect("a string has room"));
    }
    Ok(text)
}

/// What the user with the disk types to have it ready, and what is to be seen then.
pub const BEGIN: [(&str, &str); 6] = [
    ("ipl cms", ""),
    // The disk is not formatted yet.
    ("access (noprof", "Ready("),
    ("set rdymsg smsg", READY),
    ("format 191 a", "Enter 1"),
    ("1", "label"),
    ("WORK", READY),
];

/// What is typed to have a file from the reader on the disk: as cards if its type is one that assemblers read, else as
/// lines.
pub fn reads(source: &Source) -> Vec<String> {
    let name = &source.name;
    let mut lines = vec![format!("readcard {name} a")];
    let is_of_cards = source.id().is_some_and(|(_, kind)| matches!(kind, "ASSEMBLE" | "MACRO" | "COPY" | "COBOL"));
    if !is_of_cards {
        lines.push(format!("pipe < {name} a | strip trailing | > {name} a"));
    }
    lines
}
