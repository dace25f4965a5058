//! CP commands: the table, and how a line becomes one.
//!
//! A row is the command's name with its minimum abbreviation in capitals, the privilege classes that may use it and the
//! function that performs it. The function's documentation comment is the command's HELP. The table holds the source
//! text of each file of commands, and HELP takes the comment from it. So the reader of the source, the user of HELP and
//! the reader of the manual see the same words. It begins with the syntax.

use crate::system::Cp;
use message::words::{Words, abbreviates};
use message::{Message, Response};
use std::sync::Arc;
use virtualmachine::class::Classes;
pub use virtualmachine::issuer::{Issuer, Origin};
use virtualmachine::vmdbk::Vmdbk;

/// The function of a command.
pub type CommandFn = fn(&Cp, &Issuer, Words<'_>) -> Result<Response, Message>;

/// A row of a command table.
pub struct Command {
    /// The name, its minimum abbreviation in capitals.
    pub name: &'static str,
    /// The privilege classes that may issue it.
    pub classes: Classes,
    /// The function that performs it.
    pub run: CommandFn,
    function: &'static str,
    source: &'static str,
}

impl Command {
    /// The documentation comment of the command's function.
    pub fn help(&self) -> Vec<&'static str> {
        message::help::documentation(self.source, self.function)
    }
}

/// The user that a word of ATTACH names, who must be logged on; `*` is the issuer.
fn target(cp: &Cp, issuer: &Issuer, userid: &str) -> Result<Arc<Vmdbk>, Message> {
    match userid {
        "*" => Ok(issuer.vmdbk.clone()),
        _ => cp.vmdbk(userid).ok_or_else(|| message::not_logged_on(userid).from("ATS")),
    }
}

/// A table of commands: a block for each file, a row for each command in it.
macro_rules! commands {
    ($(#[$doc:meta])* $table:ident $directory:literal: $($file:ident { $($name:literal $classes:ident $function:ident;)+ })+) => {
        $(#[$doc])*
        pub static $table: &[$crate::command::Command] = &[$($(
            $crate::command::Command {
                name: $name,
                classes: commands!(@classes $classes),
                run: $file::$function,
                function: stringify!($function),
                source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/command/", $directory, stringify!($file), ".rs")),
            },
        )+)+];
    };
    (@classes ANY) => { virtualmachine::class::Classes::ANY };
    (@classes $classes:ident) => { virtualmachine::class::Classes::of(stringify!($classes)) };
}

pub mod acnt;
pub mod change;
pub mod close;
pub mod comment;
pub mod cpu;
pub mod ctca;
pub mod define;
pub mod detach;
pub mod dial;
pub mod disconnect;
pub mod display;
pub mod drain;
pub mod dump;
pub mod echo;
pub mod expanded;
pub mod force;
pub mod help;
pub mod indicate;
pub mod ipl;
pub mod link;
pub mod lock;
pub mod logoff;
pub mod logon;
pub mod message_user;
pub mod monitor;
pub mod network;
pub mod order;
pub mod per;
pub mod purge;
pub mod query;
pub mod real_devices;
pub mod recording;
pub mod run;
pub mod saved;
pub mod send;
pub mod set;
pub mod shutdown;
pub mod sleep;
pub mod snapshot;
pub mod spool;
pub mod spool_files;
pub mod spool_options;
pub mod store;
pub mod tag;
pub mod tape;
pub mod terminal;
pub mod trace;
pub mod transfer;
pub mod xautolog;

commands! {
    /// Every CP command. Where abbreviations meet, the earlier row wins, so the order is part of the interface.
    COMMANDS "":
    acnt { "ACNT" A acnt; }
    change { "CHange" DG change; }
    close { "Close" G close; }
    comment { "*" ANY comment; "CP" ANY cp; }
    cpu { "CPU" G cpu; }
    define { "DEFine" G define; }
    detach { "DETach" G detach; }
    disconnect { "DISConnect" ANY disconnect; }
    display { "Display" G display; }
    drain { "DRain" B drain; "STArt" B start; }
    dump { "DUmp" G dump; "VMDump" G vm_dump; }
    echo { "ECho" G echo; }
    expanded { "RETAIN" B retain; }
    force { "FORCE" A force; }
    help { "HELP" ANY help; }
    indicate { "INDicate" G indicate; }
    ipl { "Ipl" G ipl; }
    link { "LINk" G link; }
    lock { "LOCK" A lock; "UNLOCK" A unlock; }
    logoff { "LOGoff" ANY logoff; "LOGOUT" ANY logout; }
    logon { "Logon" ANY logon; "LOGIN" ANY login; }
    message_user {
        "Message" ANY message; "MSG" ANY msg; "MSGNOH" B message_no_header;
        "SMsg" G special_message; "WARNing" ABC warning; "WNG" ABC wng;
    }
    monitor { "MONitor" AE monitor; }
    network { "COUPLe" G couple; "UNCOUPLe" G uncouple; }
    order { "ORDer" DG order; }
    per { "PER" G per; }
    purge { "PURge" DEG purge; }
    query { "Query" ANY query; }
    recording { "RECording" ABCEF recording; }
    real_devices { "ATTach" B attach; "VARY" B vary; }
    run {
        "ATTN" G attn; "Begin" G begin; "EXTernal" G external; "NOTReady" G not_ready; "READY" G ready; "RESET" G reset; "REQuest" G request; "SIGnal" ACG signal;
        "STOP" G stop; "SYStem" G system;
    }
    saved { "DEFSYS" E defsys; "DEFSEG" E defseg; "SAVESYS" E savesys; "SAVESEG" E saveseg; }
    send { "SEND" CG send; "FOR" CG act_for; "AT" G at; "VInput" G virtual_input; }
    set { "SET" ANY set; }
    shutdown { "SHUTDOWN" A shutdown; }
    sleep { "SLeep" ANY sleep; }
    snapshot { "SNAPshot" B snapshot; }
    spool { "SPool" G spool; }
    tag { "TAg" G tag; }
    tape { "MOUNT" B mount; "REWind" G rewind; "UNLOad" B unload; }
    store { "STore" G store; }
    terminal { "TERMinal" G terminal; }
    trace { "TRace" G trace; }
    transfer { "TRANsfer" DG transfer; }
    xautolog { "XAUTOLOG" ABG xautolog; "AUTOLOG" AB autolog; }
}

/// The row for `word` in `table` that a user with `classes` may use.
pub fn find<'a>(table: &'a [Command], word: &str, classes: Classes) -> Option<&'a Command> {
    table.iter().find(|row| abbreviates(word, row.name) && classes.meets(row.classes))
}

/// Performs one command line. An empty line does nothing here; the console gives it a meaning.
pub fn execute(cp: &Cp, issuer: &Issuer, line: &str) -> Result<Response, Message> {
    if line.len() > 240 {
        return Err(message::line_too_long());
    }
    let mut words = Words::new(line);
    let Some(word) = words.next() else { return Ok(Response::none()) };
    if word.0.starts_with('*') {
        return Ok(Response::none());
    }
    let classes = issuer.vmdbk.lock().classes;
    match find(COMMANDS, word.0, classes) {
        Some(command) => (command.run)(cp, issuer, words),
        None => Err(message::unknown_command(word.upper())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use message::words::minimum;

    fn all() -> impl Iterator<Item = (&'static str, &'static Command)> {
        let rows = |name, table: &'static [Command]| table.iter().map(move |row| (name, row));
        rows("COMMANDS", COMMANDS).chain(rows("QUERY", query::QUERIES)).chain(rows("SET", set::SETTINGS))
    }

    #[test]
    fn every_command_has_its_help() {
        for (table, row) in all() {
            let help = row.help();
            assert!(help.len() >= 3, "{table} {}: a syntax line, an empty line and an explanation", row.name);
            assert!(help[0].starts_with('`'), "{table} {}: HELP begins with the syntax: {}", row.name, help[0]);
        }
    }

    #[test]
    fn every_name_reaches_its_row() {
        for table in [COMMANDS, query::QUERIES, set::SETTINGS] {
            for (n, row) in table.iter().enumerate() {
                let found = find(table, row.name, row.classes).expect("a row answers to its own name");
                assert_eq!(found.name, row.name);
                let short = minimum(row.name);
                let same =
                    |other: &&Command| other.name[..minimum(other.name)].eq_ignore_ascii_case(&row.name[..short]);
                assert!(table[..n].iter().find(same).is_none(), "{}: two rows for one abbreviation", row.name);
            }
        }
    }

    #[test]
    fn help_names_the_command_as_it_is_typed() {
        for (table, row) in all() {
            assert!(row.help()[0].contains(row.name), "{table} {}: {}", row.name, row.help()[0]);
        }
    }

    #[test]
    fn every_minimum_abbreviation_reaches_its_row() {
        for table in [COMMANDS, query::QUERIES, set::SETTINGS] {
            for row in table {
                let short = &row.name[..minimum(row.name)];
                let found = find(table, short, row.classes).expect("a row answers to its own abbreviation");
                assert_eq!(found.name, row.name, "{short}");
            }
        }
    }
}
