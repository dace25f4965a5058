//! The operands of USER, PROFILE and the control statements.

use crate::entry::Entry;
use crate::is_userid;
use crate::model::*;
use crate::operands::{Operands, Problem, abbreviates, decimal, hexadecimal, problem};
use crate::password::Password;

const USERID: &str = "a name of 1 to 8 letters, digits and $#@-:._+";
const SIZE: &str = "a size such as 512K, 64M or 2G, at least 8K";
const EDIT: &str = "ON, OFF, one character or its two hexadecimal digits";

/// A statement whose operands are not looked at.
pub(crate) fn anything(operands: &mut Operands, _: &mut Entry) -> Result<(), Problem> {
    operands.rest();
    Ok(())
}

fn userid(word: &str) -> Option<String> {
    is_userid(word).then(|| word.to_string())
}

fn name8(word: &str) -> Option<String> {
    (1..=8).contains(&word.chars().count()).then(|| word.to_string())
}

/// A storage size in bytes, rounded up to a page.
fn size(word: &str) -> Option<u64> {
    let (digits, shift) = match word.as_bytes().last()? {
        b'K' => (&word[..word.len() - 1], 10),
        b'M' => (&word[..word.len() - 1], 20),
        b'G' => (&word[..word.len() - 1], 30),
        b'T' => (&word[..word.len() - 1], 40),
        _ => return None,
    };
    let number = decimal(digits)?;
    let bytes = number.checked_mul(1 << shift).filter(|&b| (8 << 10..=1 << 60).contains(&b))?;
    Some(bytes.next_multiple_of(4096))
}

/// An editing character: the default's, none, itself, or its EBCDIC code.
fn edit(word: &str, default: Option<char>) -> Option<Option<char>> {
    let mut chars = word.chars();
    match (word, chars.next(), chars.next(), chars.next()) {
        ("ON", ..) => Some(default),
        ("OFF", ..) => Some(None),
        (_, Some(c), None, _) => Some(Some(c)),
        (_, Some(_), Some(_), None) => {
            let code = hexadecimal(word, 2)? as u8;
            Some(Some(base::ebcdic::TO_LATIN1[usize::from(code)] as char))
        }
        _ => None,
    }
}

/// USER userid password [storage [maximum [classes [priority [le [ld [cd [es]]]]]]]]
pub(crate) fn user(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.userid = operands.parse(USERID, userid)?;
    let expected = "a password of 1 to 8 characters, NOLOG, NOPASS, AUTOONLY or LBYONLY";
    let password = operands.need(expected)?;
    match password.as_str() {
        "NOLOG" => entry.user.password = Password::NoLog,
        "NOPASS" => entry.user.password = Password::NoPass,
        "AUTOONLY" => entry.user.password = Password::AutoOnly,
        "LBYONLY" => entry.user.password = Password::LogonByOnly,
        clear if clear.chars().count() <= 8 => entry.clear = Some(clear.to_string()),
        _ => return Err(problem("the password has more than 8 characters", expected)),
    }
    if let Some(bytes) = operands.optional(SIZE, size)? {
        entry.user.storage = bytes;
        entry.given.storage = true;
    }
    if let Some(bytes) = operands.optional(SIZE, size)? {
        entry.user.max_storage = bytes;
        entry.given.max_storage = true;
    }
    let classes = |word: &str| if word == "*" { Some(None) } else { Classes::parse(word).map(Some) };
    if let Some(Some(classes)) = operands.optional("privilege classes, A to Z and 1 to 6, or *", classes)? {
        entry.user.classes = classes;
        entry.given.classes = true;
    }
    let priority =
        |word: &str| if word == "*" { Some(50) } else { decimal(word).filter(|&n| n < 100).map(|n| n as u8) };
    if let Some(priority) = operands.optional("a priority, 0 to 99", priority)? {
        entry.user.priority = priority;
        // SHARE has replaced it; the usual one only fills its place.
        if priority != 50 {
            entry.unused.push("priority".into());
        }
    }
    let default = Editing::default();
    let editing = &mut entry.user.editing;
    let fields = [
        (&mut editing.line_end, default.line_end),
        (&mut editing.line_delete, default.line_delete),
        (&mut editing.char_delete, default.char_delete),
        (&mut editing.escape, default.escape),
    ];
    for (field, default) in fields {
        if let Some(c) = operands.optional(EDIT, |word| edit(word, default))? {
            *field = c;
        }
    }
    Ok(())
}

/// PROFILE name
pub(crate) fn profile(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.profile = true;
    entry.user.userid = operands.parse(USERID, userid)?;
    Ok(())
}

/// ACCOUNT number [distribution]
pub(crate) fn account(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.account = operands.parse("an account number of 1 to 8 characters", name8)?;
    let distribution = operands.optional("a distribution code of 1 to 8 characters", name8)?;
    entry.user.distribution = distribution.unwrap_or_default();
    Ok(())
}

/// ACIGROUP name
pub(crate) fn acigroup(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.acigroup = Some(operands.parse("a group name of 1 to 8 characters", name8)?);
    Ok(())
}

/// AUTOLOG userid ... and XAUTOLOG userid ...
pub(crate) fn xautolog(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let mut users = userids(operands)?;
    entry.user.xautolog.append(&mut users);
    Ok(())
}

/// LOGONBY userid ...
pub(crate) fn logonby(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let mut users = userids(operands)?;
    entry.user.logonby.append(&mut users);
    Ok(())
}

fn userids(operands: &mut Operands) -> Result<Vec<String>, Problem> {
    let mut users = vec![operands.parse(USERID, userid)?];
    while let Some(user) = operands.optional(USERID, userid)? {
        users.push(user);
    }
    Ok(users)
}

/// CLASS classes
pub(crate) fn class(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.classes = operands.parse("privilege classes, A to Z and 1 to 6", Classes::parse)?;
    entry.given.classes = true;
    Ok(())
}

/// COMMAND text
pub(crate) fn command(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let text = operands.rest();
    if text.is_empty() {
        return Err(problem("an operand is missing", "a CP command"));
    }
    entry.user.commands.push(text);
    Ok(())
}

/// CPU address [BASE] [CPUID nnnnnn] [DEDICATE|NODEDICATE] [VECTOR] [CRYPTO]
pub(crate) fn cpu(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let address = |word: &str| hexadecimal(word, 2).filter(|&n| n < 64).map(|n| n as u16);
    let mut cpu =
        Cpu { address: operands.parse("a CPU address, 00 to 3F", address)?, base: false, cpuid: None, dedicate: None };
    while let Some(word) = operands.next() {
        match word.as_str() {
            "BASE" => cpu.base = true,
            "CPUID" => cpu.cpuid = Some(cpuid(operands)?),
            "DEDICATE" | "DED" => cpu.dedicate = Some(true),
            "NODEDICATE" | "NODED" => cpu.dedicate = Some(false),
            "VECTOR" | "CRYPTO" => entry.unused.push(word),
            _ => return Err(problem(format!("{word} is not valid here"), "BASE, CPUID, DEDICATE or NODEDICATE")),
        }
    }
    if let Some(dedicate) = cpu.dedicate {
        entry.unused.push(if dedicate { "DEDICATE" } else { "NODEDICATE" }.into());
    }
    // CPU 0 is always the one that IPL starts, and all CPUs of a machine have one identification.
    if cpu.base && cpu.address != 0 {
        entry.unused.push(format!("BASE of {:02X}", cpu.address));
    }
    if cpu.cpuid.is_some() {
        entry.forget_inherited_cpuid();
    }
    let first = entry.user.options.cpuid.or(entry.user.cpus.iter().find_map(|other| other.cpuid)).or(cpu.cpuid);
    if cpu.cpuid.is_some() && cpu.cpuid != first {
        entry.unused.push(format!("CPUID of {:02X}", cpu.address));
    }
    entry.add_cpu(cpu)
}

fn cpuid(operands: &mut Operands) -> Result<u32, Problem> {
    operands.parse("the six hexadecimal digits of a CPU identification", |w| hexadecimal(w, 6).filter(|_| w.len() == 6))
}

/// IPL device|system [LOADPARM text] [PARM text]
pub(crate) fn ipl(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let from = operands.parse("a device number or the name of a saved system", |word| {
        // A name made of hexadecimal digits is a device number, as in the IPL command.
        match hexadecimal(word, 4) {
            Some(vdev) => Some(IplFrom::Device(vdev as u16)),
            None => name8(word).map(IplFrom::System),
        }
    })?;
    let mut ipl = Ipl { from, loadparm: None, parm: None };
    while let Some(word) = operands.next() {
        if abbreviates(&word, "LOADPARM", "LOAD") {
            ipl.loadparm = Some(operands.parse("up to 8 characters", name8)?);
        } else if abbreviates(&word, "PARM", "PARM") {
            let parm = operands.rest();
            if parm.is_empty() || parm.chars().count() > 64 {
                let length = parm.chars().count();
                return Err(problem(format!("the parameter has {length} characters"), "1 to 64 characters"));
            }
            ipl.parm = Some(parm);
        } else {
            return Err(problem(format!("{word} is not valid here"), "LOADPARM or PARM"));
        }
    }
    entry.user.ipl = Some(ipl);
    Ok(())
}

/// IUCV ALLOW|ANY|userid|*service|*IDENT resource [PRIORITY] [MSGLIMIT n] ...
pub(crate) fn iucv(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let name = operands.parse("ALLOW, ANY, a userid, a resource or a system service", name8)?;
    let with = match name.as_str() {
        "ALLOW" => IucvWith::Allow,
        "ANY" => IucvWith::Any,
        "*IDENT" => IucvWith::Ident(operands.parse("the name of a resource", name8)?),
        service if service.starts_with('*') => IucvWith::Service(name),
        _ => IucvWith::Name(name),
    };
    let mut iucv = Iucv { with, priority: false, message_limit: None, rest: Vec::new() };
    while let Some(word) = operands.next() {
        if abbreviates(&word, "PRIORITY", "PRI") {
            iucv.priority = true;
        } else if abbreviates(&word, "MSGLIMIT", "MSG") {
            let limit = |w: &str| decimal(w).filter(|n| (1..=65535).contains(n)).map(|n| n as u16);
            iucv.message_limit = Some(operands.parse("a number of messages, 1 to 65535", limit)?);
        } else {
            entry.unused.push(word.clone());
            iucv.rest.push(word);
        }
    }
    entry.add_iucv(iucv);
    Ok(())
}

/// MACHINE 370|XA|ESA|XC|Z [maximum-CPUs]
pub(crate) fn machine(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.machine = operands.parse("370, XA, ESA, XC or Z", |word| match word {
        "370" => Some(Machine::S370),
        "XA" => Some(Machine::Xa),
        "ESA" => Some(Machine::Esa),
        "XC" => Some(Machine::Xc),
        "Z" | "ZARCH" => Some(Machine::Z),
        _ => None,
    })?;
    let count = |word: &str| decimal(word).filter(|n| (1..=64).contains(n)).map(|n| n as u16);
    entry.user.max_cpus = operands.optional("a number of virtual CPUs, 1 to 64", count)?.unwrap_or(0);
    Ok(())
}

/// CPUMODEL z10|z196|zEC12|z13|z14|z15|z16|max
pub(crate) fn cpu_model(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.cpu_model = operands.parse("z10, z196, zEC12, z13, z14, z15, z16 or max", |word| word.parse().ok())?;
    Ok(())
}

/// STORAGE size
pub(crate) fn storage(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.storage = operands.parse(SIZE, size)?;
    entry.given.storage = true;
    Ok(())
}

/// MAXSTORAGE size
pub(crate) fn max_storage(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.max_storage = operands.parse(SIZE, size)?;
    entry.given.max_storage = true;
    Ok(())
}

/// NAMESAVE segment ...
pub(crate) fn namesave(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let expected = "the name of a saved segment, 1 to 8 characters";
    let mut names = vec![operands.parse(expected, name8)?];
    while let Some(name) = operands.optional(expected, name8)? {
        names.push(name);
    }
    entry.user.namesave.append(&mut names);
    Ok(())
}

/// Options of later releases, for what is not here.
const NEWER: [&str; 9] =
    ["CFUSER", "CRYMEASURE", "LXAPP", "MAINTCCW", "NETACCOUNTING", "NETROUTER", "NOCPWATCH", "STGEXEMPT", "THROTTLE"];

/// The option without operands that `word` names, in full or by three letters or more that no other begins with.
fn known_option(word: &str) -> Option<&'static (&'static str, Opt, bool)> {
    let word = word.replace("V=", "VIRT=");
    let mut short = OPTIONS.iter().filter(|row| word.len() >= 3 && row.0.starts_with(&word));
    let whole = OPTIONS.iter().find(|row| row.0 == word);
    whole.or_else(|| short.next().filter(|_| short.next().is_none()))
}

/// SUBCONFIG and BUILD, which `identity` takes out of the source before: one that is left stands where it is of no use.
pub(crate) fn resolved_before(operands: &mut Operands, _: &mut Entry) -> Result<(), Problem> {
    operands.rest();
    Err(problem("this statement belongs to no IDENTITY", "BUILD in an IDENTITY, not in a USER or PROFILE"))
}

/// OPTION keyword ...
pub(crate) fn option(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let expected = "an option such as ACCT, LNKNOPAS, MAXCONN or QUICKDSP";
    let mut word = operands.need(expected)?;
    loop {
        match word.as_str() {
            "CPUID" => {
                entry.user.options.cpuid = Some(cpuid(operands)?);
                entry.inherited_cpuid = false;
            }
            "LANG" => {
                entry.user.options.language = Some(operands.parse("a language, 1 to 5 characters", name8)?);
                entry.unused.push("LANG".into());
            }
            "MAXCONN" => {
                let count = |w: &str| decimal(w).filter(|n| (1..=65535).contains(n)).map(|n| n as u16);
                entry.user.options.max_connections = operands.parse("a number of paths, 1 to 65535", count)?;
            }
            _ if abbreviates(&word, "CHPIDVIRTUALIZATION", "CHPIDV") => {
                operands.parse("ONE", |word| (word == "ONE").then_some(()))?;
                entry.unused.push("CHPIDVIRTUALIZATION ONE".into());
            }
            _ => match (known_option(&word), NEWER.iter().find(|name| abbreviates(&word, name, &name[..3]))) {
                (Some(&(name, option, used)), _) => {
                    entry.user.options.give(option);
                    if !used {
                        entry.unused.push(name.into());
                    }
                }
                (None, Some(&name)) => entry.unused.push(name.into()),
                (None, None) => return Err(problem(format!("{word} is not an option"), expected)),
            },
        }
        match operands.next() {
            Some(next) => word = next,
            None => return Ok(()),
        }
    }
}

/// SHARE [RELATIVE n|ABSOLUTE n%] [RELATIVE n|ABSOLUTE n%] [NOLIMIT|LIMITSOFT|LIMITHARD]
pub(crate) fn share(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let mut share = Share { normal: portion(operands)?, ..Share::default() };
    if operands.peek().is_some_and(|w| abbreviates(&w, "RELATIVE", "REL") || abbreviates(&w, "ABSOLUTE", "ABS")) {
        share.maximum = Some(portion(operands)?);
        share.limit = Limit::Soft;
    }
    if let Some(word) = operands.next() {
        share.limit = match word.as_str() {
            w if abbreviates(w, "NOLIMIT", "NOL") => Limit::NoLimit,
            w if abbreviates(w, "LIMITSOFT", "LIMITS") => Limit::Soft,
            w if abbreviates(w, "LIMITHARD", "LIMITH") => Limit::Hard,
            _ => return Err(problem(format!("{word} is not valid here"), "NOLIMIT, LIMITSOFT or LIMITHARD")),
        };
    }
    entry.user.share = share;
    Ok(())
}

fn portion(operands: &mut Operands) -> Result<Portion, Problem> {
    let word = operands.need("RELATIVE or ABSOLUTE")?;
    if abbreviates(&word, "RELATIVE", "REL") {
        let n = |w: &str| decimal(w).filter(|n| (1..=10_000).contains(n)).map(|n| n as u16);
        Ok(Portion::Relative(operands.parse("a relative share, 1 to 10000", n)?))
    } else if abbreviates(&word, "ABSOLUTE", "ABS") {
        Ok(Portion::Absolute(operands.parse("a percentage, 0.1% to 100%", tenths)?))
    } else {
        Err(problem(format!("{word} is not valid here"), "RELATIVE or ABSOLUTE"))
    }
}

/// `12%`, `12` or `0.5%` in tenths of a percent.
fn tenths(word: &str) -> Option<u16> {
    let word = word.strip_suffix('%').unwrap_or(word);
    let (whole, tenth) = word.split_once('.').unwrap_or((word, "0"));
    if whole.is_empty() || tenth.len() != 1 {
        return None;
    }
    let tenths = decimal(whole)?.checked_mul(10)?.checked_add(decimal(tenth)?)?;
    (1..=1000).contains(&tenths).then_some(tenths as u16)
}

/// SPOOLFILE MAXSPOOL n
pub(crate) fn spoolfile(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    operands.parse("MAXSPOOL", |w| abbreviates(w, "MAXSPOOL", "MAX").then_some(()))?;
    let n = |w: &str| decimal(w).filter(|n| (1..=9999).contains(n)).map(|n| n as u16);
    entry.user.max_spool = operands.parse("a number of spool files, 1 to 9999", n)?;
    Ok(())
}

/// XSTORE size|ALL [...]
pub(crate) fn xstore(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    entry.user.xstore =
        operands.parse("a size such as 16M, or ALL", |w| if w == "ALL" { Some(u64::MAX) } else { size(w) })?;
    if !operands.rest().is_empty() {
        entry.unused.push("the starting block".into());
    }
    Ok(())
}
