//! What people type: at the logo, at CP's prompt, with every key in between, by users of every class.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use base::{Clock, Tod};
use consoles::display::{Key, Size};
use consoles::host::Silent;
use consoles::terminal::Kind;
use directory::{Directory, Passwords};
use nucleus::command::{COMMANDS, query::QUERIES, set::SETTINGS};
use nucleus::system::{Cp, SystemConfig};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target =
    Target { name: "command", about: "CP command lines and keys, at the logo and logged on", run };

/// Users of every class with the same cheap password, since hashing one costs more than everything else here.
const DIRECTORY: &str = "\
USER OPERATOR FUZZ 16M 32M ABCDEFG
 CONSOLE 009 3215
 SPOOL 00C 2540 READER *
 SPOOL 00D 2540 PUNCH A
 SPOOL 00E 1403 A
USER GENERAL FUZZ 1M 16M G
 CONSOLE 009 3215
 SPOOL 00C 2540 READER *
";

const OPERANDS: &[&str] = &[
    "OPERATOR",
    "GENERAL",
    "NOBODY",
    "FUZZ",
    "*",
    "ALL",
    "ON",
    "OFF",
    "009",
    "00C",
    "00D",
    "00E",
    "191",
    "FFFF",
    "10000",
    "0",
    "1",
    "-1",
    "16M",
    "1G",
    "16E",
    "STORAGE",
    "CPU",
    "AS",
    "CLEAR",
    "STOP",
    "PARM",
    "LOADPARM",
    "RESET",
    "RESTART",
    "0.100",
    "0-FFFFFFFFFFFFFFFF",
    "0:20",
    "G",
    "G0-15",
    "X",
    "Y",
    "PSW",
    "CR",
    "AR",
    "K0",
    "T0.10",
    "V0",
    "R0",
    "L0",
    "RANGE",
    "INSTRUCT",
    "BRANCH",
    "PROG",
    "SVC",
    "IO",
    "END",
    "TO",
    "CLASS",
    "COPY",
    "NOHOLD",
    "CONT",
    "FORM",
    "NAME",
    "START",
    "HOLD",
    "CLOSE",
    "RDR",
    "PUN",
    "PRT",
    "CONS",
    "VIRTUAL",
    "#",
    "\"",
    "@",
    "¢",
    "HCPCMD001E",
    "é",
    "\u{1F600}",
    "HERE",
    "NOIPL",
    "MIN",
    "SEC",
    "HRS",
    "AT",
    "TERM",
    "CP",
    "VM",
    "RUN",
    "IMMED",
    "DELAYED",
    "RETRIEVE",
    "PF1",
    "PF24",
];

/// A clock that a test moves.
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now(&self) -> Tod {
        Tod(self.0.load(Ordering::Relaxed))
    }
}

fn run(chance: &mut Chance) {
    static PARSED: OnceLock<Directory> = OnceLock::new();
    let parse = || Directory::parse("FUZZ DIRECT", DIRECTORY, &Passwords::default()).expect("the directory is right");
    let directory = PARSED.get_or_init(parse).clone();
    let clock = Arc::new(Hands(AtomicU64::new(Tod::from_unix_nanos(1_700_000_000_000_000_000).0)));
    engine::provide(jit::translator);
    let cp = Cp::new(SystemConfig::default(), directory, None, clock.clone(), Arc::new(Silent));

    let sizes = [(24, 80), (32, 80), (43, 80), (27, 132)].map(|(rows, columns)| Size { rows, columns });
    let kinds = [Kind::Typewriter, Kind::Display(sizes[chance.below(4)])];
    let terminals: Vec<u32> =
        (0..2).map(|_| cp.connect(kinds[chance.below(2)].clone(), None, "127.0.0.1", true).id).collect();
    let users = ["LOGON OPERATOR FUZZ", "LOGON GENERAL FUZZ"];
    for (terminal, line) in terminals.iter().zip(users) {
        if !chance.one_in(4) {
            enter(&cp, *terminal, line);
        }
    }
    for _ in 0..chance.below(20) {
        let terminal = terminals[chance.below(2)];
        match chance.below(10) {
            0 => cp.attention(terminal),
            1 => {
                let keys = [Key::Clear, Key::Pa1, Key::Pa2, Key::Pa3, Key::Pf(chance.below(26) as u8)];
                cp.key(terminal, keys[chance.below(5)], &[line(chance)]);
            }
            2 => {
                clock.0.fetch_add(chance.word() >> chance.below(60).max(8), Ordering::Relaxed);
                cp.tick();
            }
            _ => enter(&cp, terminal, &line(chance)),
        }
        let _ = cp.deadline();
        if let Some(terminal) = cp.terminal(terminal) {
            let _ = (terminal.screen(), terminal.take_output());
        }
    }
    for terminal in terminals {
        cp.hang_up(terminal);
    }
    cp.tick();
}

/// Types a line and ENTER, whatever the terminal shows.
fn enter(cp: &Cp, terminal: u32, line: &str) {
    let Some(shown) = cp.terminal(terminal) else { return };
    if shown.is_display() {
        // The logo has three fields, and the third takes a command; other screens have one.
        let logo = ["", "", line].map(str::to_owned);
        let fields = if shown.shows_logo() { logo.to_vec() } else { vec![line.to_owned()] };
        cp.key(terminal, Key::Enter, &fields);
    } else {
        cp.line(terminal, line);
    }
}

/// A command with operands that mean something somewhere, or anything else.
fn line(chance: &mut Chance) -> String {
    static WORDS: OnceLock<Vec<&str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let names = [COMMANDS, QUERIES, SETTINGS].into_iter().flatten().map(|row| row.name);
        names.chain(OPERANDS.iter().copied()).collect()
    });
    let rest = chance.text(words, 6).replace('\n', " ");
    match chance.below(8) {
        0 => rest,
        1 => format!("QUERY {} {rest}", QUERIES[chance.below(QUERIES.len())].name),
        2 => format!("SET {} {rest}", SETTINGS[chance.below(SETTINGS.len())].name),
        3 => format!("#CP {rest}"),
        _ => format!("{} {rest}", COMMANDS[chance.below(COMMANDS.len())].name),
    }
}
