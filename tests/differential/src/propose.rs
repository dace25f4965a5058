//! Proposes vectors: short cases, one for each condition code and exception of an instruction that has no line yet,
//! whose right-hand sides the oracle confirms.
//!
//! A random case agrees on both sides first. Then everything is zeroed that does not matter: what is left is what the
//! instruction looks at. The short case runs on both sides again before it becomes a line.

use crate::campaign::{self, Report};
use crate::compare::{Verdict, compare};
use crate::generate::{Generator, Row, Sequence};
use crate::image::{TESTS_MAX, text_address};
use crate::operands::{Kind, operands};
use crate::ours::Ours;
use crate::qemu;
use cpu::Architecture;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use vectors::Setting;
use vectors::coverage::{self, Need};
use vectors::file::{Case, Vector};
use vectors::run::{Runner, disassemble};

/// Random cases of each instruction that lines are chosen from.
const TRIES: usize = 8_000;
/// How many that show the same go to the oracle; the shortest becomes a line.
const CANDIDATES: usize = 8;

/// A case on our side: settings before, what changed.
struct Candidate {
    sequence: Sequence,
    before: Vec<Setting>,
    after: Vec<Setting>,
}

/// Vectors for the instructions of `group` that meet what is `wanted` of them.
pub fn propose(
    qemu: &Path,
    group: Option<&str>,
    seed: u64,
    wanted: &BTreeMap<String, BTreeSet<Need>>,
) -> std::io::Result<Vec<Vector>> {
    let mut runner = Runner::new(Architecture::Z);
    let mut report = Report::default();
    let mut ours = Ours::new();
    let rows = campaign::calibrate(
        qemu,
        campaign::rows(group, campaign::WRONG_THERE).into_iter().filter(|r| wanted.contains_key(r.mnemonic)).collect(),
        &mut ours,
        &mut report,
    )?;
    let mut vectors = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        vectors.extend(row_vectors(qemu, row, seed + n as u64, &wanted[row.mnemonic], &mut runner, &mut ours)?);
    }
    Ok(vectors)
}

fn row_vectors(
    qemu: &Path,
    row: &Row,
    seed: u64,
    wanted: &BTreeSet<Need>,
    runner: &mut Runner,
    ours: &mut Ours,
) -> std::io::Result<Vec<Vector>> {
    let mut generator = Generator::new(seed, std::slice::from_ref(row));
    let branches = matches!(operands(row.mnemonic).kind, Kind::Branch | Kind::Execute);
    let Some(instruction) = isa::instructions().find(|i| i.mnemonic == row.mnemonic) else { return Ok(Vec::new()) };
    // Short cases of our side, by what they show.
    let mut short: BTreeMap<Need, Vec<Candidate>> = BTreeMap::new();
    for n in 0..TRIES {
        if wanted.iter().all(|need| short.get(need).is_some_and(|list| list.len() >= CANDIDATES)) {
            break;
        }
        // A branch's registers count from where the vector's instruction will lie.
        let at = if branches { vectors::run::TEXT } else { text_address(n % TESTS_MAX) };
        let mut sequence = generator.single(row, at);
        let length = isa::length(sequence.units[0][0]) as usize;
        sequence.units[0].truncate(length);
        let before = campaign::settings(&sequence);
        let Ok(after) = runner.actual(&sequence.text(), &before) else { continue };
        let vector = vector(row, &sequence, before, after);
        let shown = coverage::met(instruction, &vector, &vector.cases[0]);
        let lacking = |need: &Need| short.get(need).is_none_or(|list| list.len() < CANDIDATES);
        let Some(need) = shown.intersection(wanted).copied().find(lacking) else { continue };
        if let Some(candidate) = reduce(sequence, runner) {
            short.entry(need).or_default().push(candidate);
        }
    }
    let mut list: Vec<Vector> = Vec::new();
    for candidates in short.into_values() {
        let sequences: Vec<Sequence> = candidates.iter().map(|c| c.sequence.clone()).collect();
        let agrees = agreement(qemu, &sequences, ours, branches)?;
        let confirmed = candidates.into_iter().zip(agrees).filter(|(_, agrees)| *agrees).map(|(c, _)| c);
        let Some(best) = confirmed.min_by_key(rank) else { continue };
        // An enabled overflow, underflow or inexact result is delivered here; the oracle only confirms the
        // interruption.
        let partly = best.after.iter().any(|s| matches!(s, Setting::Dxc(dxc) if dxc & 0x3c != 0 && dxc & 0xc0 == 0));
        let mut vector = vector(row, &best.sequence, best.before, best.after);
        if partly {
            vector.cases[0].remark = "# the oracle shows no result".to_string();
        }
        vector.modes = modes(&vector);
        match list.iter_mut().find(|v| v.text == vector.text && v.modes == vector.modes) {
            Some(other) => other.cases.extend(vector.cases),
            None => list.push(vector),
        }
    }
    Ok(list)
}

/// A vector of one case.
fn vector(row: &Row, sequence: &Sequence, before: Vec<Setting>, after: Vec<Setting>) -> Vector {
    let text = sequence.text();
    Vector {
        line: 0,
        mnemonic: row.mnemonic.to_string(),
        disassembly: disassemble(&text, Architecture::Z).unwrap_or_default(),
        text,
        modes: vec![Architecture::Z],
        cases: vec![Case { line: 0, before, after, remark: String::new(), above: Vec::new() }],
    }
}

/// The architectures in which a vector reads and does the same.
fn modes(vector: &Vector) -> Vec<Architecture> {
    [Architecture::S370, Architecture::Esa, Architecture::Z]
        .into_iter()
        .filter(|mode| {
            let mut runner = Runner::new(*mode);
            disassemble(&vector.text, *mode).as_ref() == Some(&vector.disassembly)
                && vector.cases.iter().all(|case| runner.check(&vector.text, case).is_ok())
        })
        .collect()
}

/// Which sequences end alike on both sides. A branch leaves the test's slot: campaigns judge those, with what they
/// branch over; here they count as agreed.
fn agreement(qemu: &Path, sequences: &[Sequence], ours: &mut Ours, branches: bool) -> std::io::Result<Vec<bool>> {
    if branches {
        return Ok(vec![true; sequences.len()]);
    }
    let tests: Vec<_> = sequences.iter().map(Sequence::test).collect();
    let theirs = qemu::run(qemu, &tests)?;
    let verdict = |(n, test): (usize, &crate::image::Test)| {
        let here = ours.run(test, text_address(n));
        compare(&theirs[n], &here, text_address(n), &test.text) == Verdict::Same
    };
    Ok(tests.iter().enumerate().map(verdict).collect())
}

/// The better a case, the lower: one with a result, of operands that are not all zero, and short.
fn rank(c: &Candidate) -> (bool, usize, usize) {
    let result = |s: &Setting| {
        matches!(s, Setting::Gr(..) | Setting::Fpr(..) | Setting::Vr(..) | Setting::Ar(..) | Setting::Storage(..))
    };
    let length = c.before.iter().chain(&c.after).map(|s| s.to_string().len() + 1).sum();
    (!c.after.iter().any(result), 3 - c.before.len().min(3), length)
}

/// Zeroes what does not matter.
fn reduce(sequence: Sequence, runner: &mut Runner) -> Option<Candidate> {
    let text = sequence.text();
    let goal = runner.actual(&text, &campaign::settings(&sequence)).ok()?;
    let mut best = sequence;
    let mut attempt = |change: &dyn Fn(&mut Sequence), best: &mut Sequence| {
        let mut tried = best.clone();
        change(&mut tried);
        if tried.before != best.before
            && runner.actual(&text, &campaign::settings(&tried)).is_ok_and(|after| after == goal)
        {
            *best = tried;
        }
    };
    attempt(&|s| s.before.scratch.fill(0), &mut best);
    attempt(&|s| s.before.fpr = Default::default(), &mut best);
    attempt(&|s| s.before.ar = [0; 16], &mut best);
    attempt(&|s| s.before.fpc = 0, &mut best);
    attempt(&|s| s.before.program_mask = 0, &mut best);
    attempt(&|s| s.before.cc = 0, &mut best);
    for n in 0..16 {
        attempt(&|s| s.before.gr[n] = 0, &mut best);
        attempt(&|s| s.before.gr[n] &= 0xffff_ffff, &mut best);
        attempt(&|s| s.before.ar[n] = 0, &mut best);
    }
    for n in 0..32 {
        attempt(&|s| s.before.fpr.0[n] = [0; 2], &mut best);
        attempt(&|s| s.before.fpr.0[n][1] = 0, &mut best);
        attempt(&|s| s.before.fpr.0[n][0] &= 0xffff_ffff_0000_0000, &mut best);
    }
    for size in [256, 64, 16, 4, 1] {
        for at in (0..best.before.scratch.len()).step_by(size) {
            if best.before.scratch[at..at + size].iter().any(|b| *b != 0) {
                attempt(&|s| s.before.scratch[at..at + size].fill(0), &mut best);
            }
        }
    }
    let before = campaign::settings(&best);
    Some(Candidate { before, after: goal, sequence: best })
}

/// The files vectors are put into, and what is in them.
pub const FAMILIES: &[(&str, &str)] = &[
    ("access_registers", "Access registers"),
    ("add", "Addition"),
    ("and_or_exclusive_or", "AND, OR and EXCLUSIVE OR"),
    ("branch", "Branches and EXECUTE"),
    ("compare", "Comparison"),
    ("compare_logical", "Logical comparison"),
    ("convert", "Conversion between formats of numbers"),
    ("decimal_conversion", "Conversion between binary, decimal and zoned"),
    ("divide", "Division"),
    ("insert", "Insertion"),
    ("interlocked", "Interlocked access"),
    ("load", "Loads"),
    ("move", "Moves"),
    ("multiply", "Multiplication"),
    ("multiply_and_add", "Multiplication with addition or subtraction"),
    ("other", "Everything else"),
    ("shift_and_rotate", "Shifts and rotations"),
    ("square_root", "Square roots"),
    ("store", "Stores"),
    ("strings", "Instructions on long operands"),
    ("subtract", "Subtraction"),
    ("test", "Tests"),
    ("translate", "Translation"),
    ("vector_support", "Vector loads, stores, and moves of elements"),
    ("vector_integer", "Vectors of integers"),
    ("vector_string", "Vectors as strings"),
    ("vector_floating_point", "Vectors of floating-point numbers"),
];

/// The file that a mnemonic's vectors belong to, within its chapter's folder.
pub fn family(mnemonic: &str) -> &'static str {
    let among = |list: &str| list.split_ascii_whitespace().any(|m| m == mnemonic);
    if operands(mnemonic).vector {
        let starts = |all: &[&str]| all.iter().any(|start| mnemonic.starts_with(start));
        return match () {
            _ if among("VFAE VFEE VFENE VISTR VSTRC VSTRS") => "vector_string",
            _ if starts(&["VF", "WF", "VCF", "VCSF", "VCLF"]) => "vector_floating_point",
            _ if starts(&["VL", "VST", "VG", "VSC", "VMR", "VPK", "VPE", "VPD", "VREP", "VSEL", "VSEG", "VUP"])
                && !among("VLC VLP VGFM VGFMA VSCBI") =>
            {
                "vector_support"
            }
            _ => "vector_integer",
        };
    }
    match operands(mnemonic).kind {
        Kind::Branch | Kind::Execute => return "branch",
        Kind::Long => return "strings",
        Kind::Swap(_) => return "interlocked",
        Kind::Plain => {}
    }
    if among(
        "SLA SRA SLL SRL SLDA SRDA SLDL SRDL SLAK SRAK SLLK SRLK SLAG SRAG SLLG SRLG RLL RLLG RISBG RISBGN RISBHG \
         RISBLG \
         RNSBG ROSBG RXSBG",
    ) {
        return "shift_and_rotate";
    }
    if among("LAA LAAG LAAL LAALG LAN LANG LAO LAOG LAX LAXG LPD LPDG TS") {
        return "interlocked";
    }
    if among("CVB CVBY CVBG CVD CVDY CVDG PACK PKA PKU UNPK UNPKA UNPKU") {
        return "decimal_conversion";
    }
    if among("EAR SAR CPYA LAM LAMY STAM STAMY LAE LAEY") {
        return "access_registers";
    }
    let starts = |prefix: &str| mnemonic.starts_with(prefix);
    let ends = |suffix: &str| mnemonic.ends_with(suffix);
    let conversions =
        ["CEF", "CDF", "CXF", "CEG", "CDG", "CXG", "CEL", "CDL", "CXL", "CFE", "CFD", "CFX", "CGE", "CGD"];
    if (ends("BR") || ends("BRA"))
        && (conversions.iter().chain(&["CGX", "CLF", "CLG"]).any(|c| starts(c)) || starts("TB") || starts("TH"))
        && !among("CGEB CLGEB")
    {
        return "convert";
    }
    match mnemonic.as_bytes().first() {
        _ if starts("MV") => "move",
        _ if starts("SQ") => "square_root",
        _ if (starts("MA") || starts("MS")) && (ends("EB") || ends("DB") || ends("EBR") || ends("DBR")) => {
            "multiply_and_add"
        }
        _ if starts("TR") => "translate",
        _ if starts("SEL") => "load",
        _ if starts("ST") => "store",
        _ if starts("CL") => "compare_logical",
        Some(b'A') => "add",
        Some(b'S') => "subtract",
        Some(b'C') => "compare",
        Some(b'L') => "load",
        Some(b'M') => "multiply",
        Some(b'D') => "divide",
        Some(b'N') | Some(b'O') | Some(b'X') => "and_or_exclusive_or",
        Some(b'I') => "insert",
        Some(b'T') => "test",
        _ => "other",
    }
}
