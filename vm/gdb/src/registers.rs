//! The registers of a CPU as GDB knows them: one table of features, and all that follows from it.
//!
//! The features `org.gnu.gdb.s390.*` are GDB's own (GDB's manual, "S/390 and System z Features"); that of control
//! registers has the name that other stubs give it, and `endicott.s390.cpu` has what is left. All values are
//! big-endian.

use arch::Psw;
use cpu::State;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

/// What a register is in the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    PswMask,
    PswAddress,
    General(usize),
    Access(usize),
    Fpc,
    Floating(usize),
    /// The right half of one of the first sixteen vector registers.
    VectorRight(usize),
    Vector(usize),
    Control(usize),
    Prefix,
    ClockComparator,
    CpuTimer,
    Programmable,
    BreakingEvent,
}

/// A register's number with GDB: its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number(usize);

/// One register.
struct Row {
    name: String,
    what: What,
    bytes: usize,
    /// Its type in the target description, and its group.
    kind: &'static str,
    group: &'static str,
}

/// Registers that GDB knows together.
struct Feature {
    name: &'static str,
    rows: Vec<Row>,
}

static FEATURES: LazyLock<Vec<Feature>> = LazyLock::new(features);
static DESCRIPTION: LazyLock<String> = LazyLock::new(describe);

fn row(name: impl Into<String>, what: What, bytes: usize, kind: &'static str, group: &'static str) -> Row {
    Row { name: name.into(), what, bytes, kind, group }
}

fn features() -> Vec<Feature> {
    let feature = |name: &'static str, rows: Vec<Row>| Feature { name, rows };
    let many = |from: usize, to: usize, make: &dyn Fn(usize) -> Row| (from..to).map(make).collect::<Vec<Row>>();
    let mut core =
        vec![row("pswm", What::PswMask, 8, "uint64", "psw"), row("pswa", What::PswAddress, 8, "uint64", "psw")];
    core.extend(many(0, 16, &|n| row(format!("r{n}"), What::General(n), 8, "uint64", "general")));
    let mut floating = vec![row("fpc", What::Fpc, 4, "uint32", "float")];
    floating.extend(many(0, 16, &|n| row(format!("f{n}"), What::Floating(n), 8, "ieee_double", "float")));
    let mut vector = many(0, 16, &|n| row(format!("v{n}l"), What::VectorRight(n), 8, "uint64", "float"));
    vector.extend(many(16, 32, &|n| row(format!("v{n}"), What::Vector(n), 16, "vec128", "vector")));
    vec![
        feature("org.gnu.gdb.s390.core", core),
        feature(
            "org.gnu.gdb.s390.acr",
            many(0, 16, &|n| row(format!("acr{n}"), What::Access(n), 4, "uint32", "access")),
        ),
        feature("org.gnu.gdb.s390.fpr", floating),
        feature("org.gnu.gdb.s390.vx", vector),
        feature(
            "org.gnu.gdb.s390.cr",
            many(0, 16, &|n| row(format!("cr{n}"), What::Control(n), 8, "uint64", "control")),
        ),
        feature(
            "endicott.s390.cpu",
            vec![
                row("prefix", What::Prefix, 8, "uint64", "system"),
                row("ckc", What::ClockComparator, 8, "uint64", "system"),
                row("cputm", What::CpuTimer, 8, "int64", "system"),
                row("todpr", What::Programmable, 4, "uint32", "system"),
                row("bear", What::BreakingEvent, 8, "uint64", "system"),
            ],
        ),
    ]
}

/// The type of a vector register.
const VECTOR_TYPE: &str = concat!(
    r#"<vector id="v4f" type="ieee_single" count="4"/><vector id="v2d" type="ieee_double" count="2"/>"#,
    r#"<vector id="v16i8" type="int8" count="16"/><vector id="v8i16" type="int16" count="8"/>"#,
    r#"<vector id="v4i32" type="int32" count="4"/><vector id="v2i64" type="int64" count="2"/>"#,
    r#"<union id="vec128"><field name="v4_float" type="v4f"/><field name="v2_double" type="v2d"/>"#,
    r#"<field name="v16_int8" type="v16i8"/><field name="v8_int16" type="v8i16"/>"#,
    r#"<field name="v4_int32" type="v4i32"/><field name="v2_int64" type="v2i64"/>"#,
    r#"<field name="uint128" type="uint128"/></union>"#,
);

fn describe() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
         <target version=\"1.0\"><architecture>s390:64-bit</architecture>",
    );
    let mut write = |line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("a string has room");
    for Feature { name, rows } in FEATURES.iter() {
        write(format_args!("<feature name=\"{name}\">"));
        if rows.iter().any(|row| row.kind == "vec128") {
            write(format_args!("{VECTOR_TYPE}"));
        }
        for Row { name, bytes, kind, group, .. } in rows {
            let bits = 8 * bytes;
            write(format_args!("<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\" group=\"{group}\"/>"));
        }
        write(format_args!("</feature>"));
    }
    text.push_str("</target>");
    text
}

fn rows() -> impl Iterator<Item = &'static Row> {
    FEATURES.iter().flat_map(|feature| &feature.rows)
}

/// The target description.
pub(crate) fn description() -> &'static str {
    &DESCRIPTION
}

impl What {
    fn get(self, state: &State) -> u128 {
        match self {
            What::PswMask => state.psw().mask.into(),
            What::PswAddress => state.psw().address.into(),
            What::General(n) => state.gr[n].into(),
            What::Access(n) => state.ar[n].into(),
            What::Fpc => state.fpc.into(),
            What::Floating(n) => state.fpr[n].into(),
            What::VectorRight(n) => state.fpr.0[n][1].into(),
            What::Vector(n) => state.vr(n as u8),
            What::Control(n) => state.cr[n].into(),
            What::Prefix => state.prefix.into(),
            What::ClockComparator => state.clock_comparator.into(),
            What::CpuTimer => state.cpu_timer().into(),
            What::Programmable => state.tod_programmable.into(),
            What::BreakingEvent => state.breaking_event.into(),
        }
    }

    /// False if a debugger cannot change it.
    fn set(self, state: &mut State, value: u128) -> bool {
        let word = value as u64;
        match self {
            What::PswMask => state.set_psw(Psw { mask: word, address: state.psw().address }),
            What::PswAddress => state.set_psw(Psw { mask: state.psw().mask, address: word }),
            What::General(n) => state.gr[n] = word,
            What::Access(n) => {
                state.ar[n] = word as u32;
                state.control_changed();
            }
            What::Fpc => state.fpc = word as u32,
            What::Floating(n) => state.fpr[n] = word,
            What::VectorRight(n) => state.fpr.0[n][1] = word,
            What::Vector(n) => state.set_vr(n as u8, value),
            What::Control(n) => {
                state.cr[n] = word;
                state.control_changed();
                state.purge_tlb();
            }
            What::ClockComparator => state.set_clock_comparator(word),
            What::CpuTimer => state.set_cpu_timer(word),
            What::Programmable => state.tod_programmable = word as u32,
            What::Prefix | What::BreakingEvent => return false,
        }
        true
    }
}

impl Number {
    fn row(self) -> &'static Row {
        rows().nth(self.0).expect("a number is that of a row")
    }

    /// Writes the register's bytes to the front of `to`, and answers how many there are.
    pub(crate) fn get(self, state: &State, to: &mut [u8]) -> usize {
        let row = self.row();
        to[..row.bytes].copy_from_slice(&row.what.get(state).to_be_bytes()[16 - row.bytes..]);
        row.bytes
    }

    /// False if there are not as many bytes as the register has, or a debugger cannot change it.
    pub(crate) fn set(self, state: &mut State, from: &[u8]) -> bool {
        let row = self.row();
        from.len() == row.bytes && row.what.set(state, number(from))
    }
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

impl gdbstub::arch::RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Number, Option<NonZeroUsize>)> {
        let row = rows().nth(id)?;
        Some((Number(id), NonZeroUsize::new(row.bytes)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0)
    }
}

/// All registers of a CPU.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Registers {
    bytes: Vec<u8>,
    address: u64,
}

impl Registers {
    /// Those of a CPU.
    pub(crate) fn of(state: &State) -> Registers {
        let one = |row: &Row| row.what.get(state).to_be_bytes()[16 - row.bytes..].to_vec();
        Registers { bytes: rows().flat_map(one).collect(), address: state.psw().address }
    }

    /// Puts into a CPU what differs from what it has.
    pub(crate) fn put(&self, state: &mut State) {
        let mut rest = &self.bytes[..];
        for row in rows() {
            let Some((bytes, after)) = rest.split_at_checked(row.bytes) else { return };
            rest = after;
            let value = number(bytes);
            if value != row.what.get(state) {
                // What cannot be changed stays.
                row.what.set(state, value);
            }
        }
    }
}

impl gdbstub::arch::Registers for Registers {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.address
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.bytes.iter().for_each(|&byte| write_byte(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let all: usize = rows().map(|row| row.bytes).sum();
        if bytes.len() != all {
            return Err(());
        }
        self.bytes = bytes.to_vec();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_each_register_once_in_the_order_of_its_number() {
        let names: Vec<&str> = rows().map(|row| row.name.as_str()).collect();
        let told: Vec<&str> = description().split("<reg name=\"").skip(1).filter_map(|r| r.split('"').next()).collect();
        assert_eq!(names, told);
        assert_eq!((names[0], names[1], names[2], names[18], names[34]), ("pswm", "pswa", "r0", "acr0", "fpc"));
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len());
    }
}
