//! The statements of a directory: their names and abbreviations, where each may stand, and what takes its operands.

use crate::entry::Entry;
use crate::operands::{Operands, Problem, abbreviates};
use crate::source::Statement;
use crate::{control, device, network};

/// Where a statement may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Position {
    /// Outside of users: before the first.
    Global,
    /// Begins a user or profile.
    Begin,
    /// First after USER.
    Include,
    /// Among the control statements. `Once`: a second one is a mistake.
    Control,
    /// The same, once.
    Once,
    /// Among the device statements.
    Device,
}

/// A function that takes a statement's operands into an entry.
pub(crate) type Take = fn(&mut Operands, &mut Entry) -> Result<(), Problem>;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The shortest abbreviation.
    shortest: &'static str,
    pub(crate) position: Position,
    /// Whether CP acts upon it.
    pub(crate) used: bool,
    pub(crate) take: Take,
}

const fn row(name: &'static str, shortest: &'static str, position: Position, used: bool, take: Take) -> Row {
    Row { name, shortest, position, used, take }
}

/// All statements. Where two share an abbreviation, the first has it.
#[rustfmt::skip]
static STATEMENTS: &[Row] = {
    use Position::*;
    &[
        row("DIRECTORY",  "DIR",     Global,  false, control::anything),
        row("GLOBALDEFS", "GLOBALD", Global,  false, control::anything),
        row("GLOBALOPTS", "GLOBALO", Global,  false, control::anything),
        row("USER",       "U",       Begin,   true,  control::user),
        row("PROFILE",    "PRO",     Begin,   true,  control::profile),
        row("IDENTITY",   "IDE",     Begin,   true,  control::user),
        row("SUBCONFIG",  "SUBC",    Begin,   true,  control::resolved_before),
        row("BUILD",      "BUI",     Control, true,  control::resolved_before),
        row("INCLUDE",    "INC",     Include, true,  control::anything),
        row("ACCOUNT",    "ACC",     Once,    true,  control::account),
        row("ACIGROUP",   "ACI",     Once,    false, control::acigroup),
        row("APPCPASS",   "APP",     Control, false, control::anything),
        row("AUTOLOG",    "AUT",     Control, true,  control::xautolog),
        row("CLASS",      "CLA",     Once,    true,  control::class),
        row("COMMAND",    "COM",     Control, true,  control::command),
        row("CPU",        "CPU",     Control, true,  control::cpu),
        row("CPUMODEL",   "CPUM",    Once,    true,  control::cpu_model),
        row("CRYPTO",     "CRY",     Control, false, control::anything),
        row("D8ONECMD",   "D8",      Control, false, control::anything),
        row("DATEFORMAT", "DAT",     Once,    false, control::anything),
        row("IPL",        "IPL",     Once,    true,  control::ipl),
        row("IUCV",       "IUC",     Control, true,  control::iucv),
        row("LOGONBY",    "LOG",     Control, true,  control::logonby),
        row("MACHINE",    "MAC",     Once,    true,  control::machine),
        row("MAXSTORAGE", "MAX",     Once,    true,  control::max_storage),
        row("NAMESAVE",   "NAM",     Control, true,  control::namesave),
        row("NOPDATA",    "NOP",     Control, false, control::anything),
        row("OPTION",     "OPT",     Control, true,  control::option),
        row("POOL",       "POO",     Control, false, control::anything),
        row("POSIXGLIST", "POSIXG",  Control, false, control::anything),
        row("POSIXINFO",  "POSIXI",  Control, false, control::anything),
        row("POSIXOPT",   "POSIXO",  Control, false, control::anything),
        row("SCREEN",     "SCR",     Control, false, control::anything),
        row("SHARE",      "SHA",     Once,    true,  control::share),
        row("SPOOLFILE",  "SPOOLF",  Once,    true,  control::spoolfile),
        row("STDEVOPT",   "STD",     Control, false, control::anything),
        row("STORAGE",    "STO",     Once,    true,  control::storage),
        row("SYSAFFIN",   "SYS",     Control, false, control::anything),
        row("VMRELOCATE", "VMR",     Control, false, control::anything),
        row("XAUTOLOG",   "XAU",     Control, true,  control::xautolog),
        row("XCONFIG",    "XCO",     Control, false, control::anything),
        row("XSTORE",     "XST",     Once,    false, control::xstore),
        row("MDISK",      "M",       Device,  true,  device::mdisk),
        row("CONSOLE",    "CON",     Device,  true,  device::console),
        row("DASDOPT",    "DAS",     Device,  true,  device::dasdopt),
        row("DEDICATE",   "DED",     Device,  true,  device::dedicate),
        row("LINK",       "LIN",     Device,  true,  device::link),
        row("LOADDEV",    "LOAD",    Device,  false, control::anything),
        row("MINIOPT",    "MIN",     Device,  true,  device::miniopt),
        row("NICDEF",     "NIC",     Device,  true,  network::nicdef),
        row("SPECIAL",    "SPE",     Device,  true,  device::special),
        row("SPOOL",      "SPO",     Device,  true,  device::spool),
    ]
};

/// The names of all statements that may stand in a source, in the order of the table.
pub fn statement_names() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().map(|row| row.name)
}

pub(crate) fn row_of(statement: &Statement) -> Option<&'static Row> {
    let keyword = statement.word(0)?;
    STATEMENTS.iter().find(|row| abbreviates(&keyword, row.name, row.shortest))
}
