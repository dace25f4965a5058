//! A campaign: which instructions the oracle can judge, many tests of them, and the shortest form of what differs.

use crate::compare::{Verdict, compare};
use crate::generate::{self, Generator, Row, Sequence};
use crate::image::{Ending, TESTS_MAX, Test, text_address};
use crate::ours::{Engines, Ours};
use crate::qemu;
use crate::random::Random;
use cpu::Architecture;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use vectors::machine::Event;
use vectors::{SCRATCH, Setting};

/// Instructions whose effect is not a function of the state that tests control: clocks, system calls, the control
/// program's registers, the CPU's identity; and tables larger than the scratch storage.
const EXCLUDED: &str = "SVC STCK STCKF STCKE STFLE STFL STIDP ECTG ECAG PTFF MC PLO TRTT TRTO EPAR EPAIR ESAR ESAIR \
    IAC IPK SPKA SSAR SSAIR MVCK MVCP MVCS MVCSK MVCDK MVCOS PC PR PT PTI BAKR BSA BSG EREG EREGG ESTA MSTA SAC SACF \
    TABORT TBEGIN TBEGINC TEND ETND PPA TRAP2 TRAP4 EPSW STCKC KM KMC KIMD KLMD KMAC KMCTR KMO KMF PCC PRNO KMA KDSA \
    PCKMO CMPSC CFC UPT PFPO LASP SAM24 SAM31 SAM64 DFLTCC SORTL NNPA DIAG TAR TESTA RP";

/// Instructions that QEMU 7.2 gets wrong:
///
/// - MXDB, MXDBR, MDEB and MDEBR take the wider format as that of their first operand too.
/// - STMH stores zeros. UNPK, PKA and PKU drop the leftmost digits of their source.
/// - LFAS and SFASR end QEMU 7.2 with an assertion when they recognize a simulated exception.
/// - MVPG of a page that is not there ends it too.
/// - VCKSM adds other words than those of its operand.
/// - CSST with a 1-byte store ends QEMU 7.2 with an assertion, and so does MVCRL of one byte.
pub const WRONG_THERE: &str = "VCKSM STMH UNPK PKA PKU MXDB MXDBR MDEB MDEBR LFAS SFASR MVPG CSST MVCRL";

/// One difference found.
pub struct Difference {
    /// The instruction that the test was written for.
    pub mnemonic: &'static str,
    /// The seed of the campaign.
    pub seed: u64,
    /// The number of the test in the campaign.
    pub number: usize,
    /// The test, shrunk.
    pub sequence: Sequence,
    /// Where its text lies in storage.
    pub address: u64,
    /// What differs, and what differed before the test was shrunk.
    pub what: String,
    /// What differed before the test was shrunk.
    pub at_first: String,
}

/// What a campaign found.
#[derive(Default)]
pub struct Report {
    /// Sequences that ran.
    pub sequences: usize,
    /// Sequences of which at least one engine's result could be compared.
    pub compared: usize,
    /// Sequences that ended in an interruption, by signal number and code.
    pub interrupted: BTreeMap<(u8, i32), usize>,
    /// Instructions that were tested.
    pub tested: Vec<&'static str>,
    /// Built instructions the oracle does not have.
    pub lacking: Vec<&'static str>,
    /// Instructions that are privileged on both sides.
    pub privileged: Vec<&'static str>,
    /// The differences found.
    pub differences: Vec<Difference>,
    /// Differences by mnemonic.
    pub by_mnemonic: BTreeMap<&'static str, usize>,
}

impl Report {
    /// What was compared and what was not, in a few lines.
    pub fn summary(&self) -> String {
        let mut out = format!("{} sequences of {} instructions", self.sequences, self.tested.len());
        let _ = write!(out, ", {} compared", self.compared);
        let signal = |number: &u8| match number {
            4 => "SIGILL",
            8 => "SIGFPE",
            11 => "SIGSEGV",
            _ => "signal",
        };
        for ((number, code), count) in &self.interrupted {
            let _ = write!(out, "\n  {count} ended in {} {code}", signal(number));
        }
        if !self.privileged.is_empty() {
            let _ = write!(out, "\nprivileged on both sides: {}", self.privileged.join(" "));
        }
        if !self.lacking.is_empty() {
            let _ = write!(out, "\nnot in the oracle: {}", self.lacking.join(" "));
        }
        if self.by_mnemonic.is_empty() {
            out.push_str("\nno differences");
        } else {
            out.push_str("\ndifferences:");
            for (mnemonic, count) in &self.by_mnemonic {
                let _ = write!(out, " {mnemonic} {count}");
            }
        }
        out
    }
}

/// The instructions of a group: a chapter's name (`general`, `bfp`), mnemonics, or nothing for all; only what is built,
/// and nothing that an oracle cannot be asked for or of `without`.
pub fn rows(group: Option<&str>, without: &str) -> Vec<Row> {
    built(group, &[EXCLUDED, without])
}

/// The same for a comparison of the engines, which differ in less: true random numbers are no instruction's own, and
/// how often a transaction aborts is open.
pub fn rows_of_engines(group: Option<&str>) -> Vec<Row> {
    built(group, &["PRNO TBEGIN TBEGINC"])
}

/// The instructions of a group, without those of some lists.
fn built(group: Option<&str>, without: &[&str]) -> Vec<Row> {
    let chapters = [
        ("general", isa::table::general::ROWS),
        ("decimal", isa::table::decimal::ROWS),
        ("hfp", isa::table::hfp::ROWS),
        ("bfp", isa::table::bfp::ROWS),
        ("dfp", isa::table::dfp::ROWS),
        ("vector", isa::table::vector::ROWS),
        ("control", isa::table::control::ROWS),
    ];
    let wanted = |chapter: &str, mnemonic: &str| match group {
        None => true,
        Some(g) => g == chapter || g.split(',').any(|m| m.eq_ignore_ascii_case(mnemonic)),
    };
    chapters
        .iter()
        .flat_map(|(chapter, rows)| rows.iter().map(move |row| (*chapter, row)))
        .filter(|(chapter, row)| wanted(chapter, row.mnemonic))
        .filter(|(_, row)| row.run.is_some() && row.architectures.include(Architecture::Z))
        .filter(|(_, row)| !without.iter().any(|list| list.split_ascii_whitespace().any(|m| m == row.mnemonic)))
        .map(|(_, row)| generate::row(row))
        .collect()
}

/// Compares `count` sequences of the instructions of `group`, on both engines.
pub fn run(qemu: &Path, group: Option<&str>, seed: u64, count: usize) -> std::io::Result<Report> {
    let mut report = Report::default();
    let mut ours = Engines::new();
    let rows = calibrate(qemu, rows(group, WRONG_THERE), &mut Ours::new(), &mut report)?;
    if rows.is_empty() {
        return Ok(report);
    }
    let mut number = 0;
    while number < count {
        let batch = (count - number).min(TESTS_MAX);
        let batch_seed = seed.wrapping_mul(0x1000_0000).wrapping_add(number as u64);
        let mut generator = Generator::new(batch_seed, &rows);
        let sequences: Vec<Sequence> =
            (0..batch).map(|n| generator.sequence(Some(&rows[(number + n) % rows.len()]), text_address(n))).collect();
        for (n, what) in verdicts(qemu, &mut ours, &sequences, &mut report)? {
            let mnemonic = rows[(number + n) % rows.len()].mnemonic;
            *report.by_mnemonic.entry(mnemonic).or_insert(0) += 1;
            if report.by_mnemonic[mnemonic] <= 2 {
                let address = text_address(n);
                let sequence = sequences[n].clone();
                report.differences.push(Difference {
                    mnemonic,
                    seed,
                    number: number + n,
                    sequence,
                    address,
                    at_first: what.clone(),
                    what,
                });
            }
        }
        number += batch;
        report.sequences += batch;
    }
    Ok(report)
}

/// A campaign of single instructions against Hercules, with no calibration: the words of what differs.
pub fn second_opinion(hercules: &Path, group: &str, seed: u64, count: usize) -> std::io::Result<Vec<String>> {
    let rows = rows(Some(group), "");
    let mut ours = Ours::bare();
    let mut found = Vec::new();
    let mut generator = Generator::new(seed, &rows);
    let count = count.min(TESTS_MAX);
    let mut sequences: Vec<Sequence> =
        (0..count).map(|n| generator.single(&rows[n % rows.len()], text_address(n))).collect();
    // Hercules has no vector registers.
    for (n, register) in sequences.iter_mut().flat_map(|s| s.before.fpr.0.iter_mut().enumerate()) {
        *register = [if n < 16 { register[0] } else { 0 }, 0];
    }
    let tests: Vec<Test> = sequences.iter().map(Sequence::test).collect();
    let theirs = crate::hercules::run(hercules, &tests)?;
    for (n, test) in tests.iter().enumerate() {
        let address = text_address(n);
        let here = ours.run(test, address);
        if let Verdict::Different(what) = compare(&theirs[n], &here, address, &test.text) {
            let (sequence, mnemonic) = (sequences[n].clone(), rows[n % rows.len()].mnemonic);
            let at_first = what.clone();
            found.push(Difference { mnemonic, seed, number: n, sequence, address, what, at_first }.text());
        }
    }
    let reached = theirs.iter().filter(|t| t.ending != Ending::NotReached).count();
    found.push(format!("{} of {count} tests were reached", reached));
    Ok(found)
}

/// The tests that differ, with the engine and what differs.
fn verdicts(
    qemu: &Path,
    ours: &mut Engines,
    sequences: &[Sequence],
    report: &mut Report,
) -> std::io::Result<Vec<(usize, String)>> {
    let tests: Vec<Test> = sequences.iter().map(Sequence::test).collect();
    let theirs = qemu::run(qemu, &tests)?;
    let mut different = Vec::new();
    for (n, test) in tests.iter().enumerate() {
        let address = text_address(n);
        if let Ending::Signal { number, code, .. } = theirs[n].ending {
            *report.interrupted.entry((number, code)).or_insert(0) += 1;
        }
        let verdicts = ours.run(test, address).map(|(engine, here)| {
            let verdict = compare(&theirs[n], &here, address, &test.text);
            (engine, verdict)
        });
        report.compared += verdicts.iter().any(|(_, verdict)| *verdict != Verdict::NotComparable) as usize;
        let found = verdicts.into_iter().find_map(|(engine, verdict)| match verdict {
            Verdict::Different(what) => Some((n, format!("{engine}: {what}"))),
            _ => None,
        });
        different.extend(found);
    }
    Ok(different)
}

/// Finds out which instructions the oracle has, by eight tests of each alone.
pub fn calibrate(qemu: &Path, rows: Vec<Row>, ours: &mut Ours, report: &mut Report) -> std::io::Result<Vec<Row>> {
    const TRIES: usize = 8;
    let mut known = Vec::new();
    for chunk in rows.chunks(TESTS_MAX / TRIES) {
        let mut tests = Vec::new();
        for row in chunk {
            let mut alone = Generator::new(1, std::slice::from_ref(row));
            for _ in 0..TRIES {
                tests.push(alone.single(row, text_address(tests.len())).test());
            }
        }
        let theirs = qemu::run(qemu, &tests)?;
        for (n, row) in chunk.iter().enumerate() {
            let places = n * TRIES..(n + 1) * TRIES;
            let refused = |t: &crate::image::Outcome| matches!(t.ending, Ending::Signal { number: 4, code: 1, .. });
            if !theirs[places.clone()].iter().all(refused) {
                known.push(row.clone());
                report.tested.push(row.mnemonic);
                continue;
            }
            let privileged = places
                .map(|t| ours.run(&tests[t], text_address(t)).event)
                .all(|event| matches!(event, Event::Program { code: 2, .. }));
            if privileged { &mut report.privileged } else { &mut report.lacking }.push(row.mnemonic);
        }
    }
    Ok(known)
}

/// Adjusts relative operands in storage (not targets of EXRL and branches, which move with them).
fn relocate(unit: &mut [u8], distance: i64) {
    let mut at = 0;
    while at < unit.len() {
        let length = isa::length(unit[at]) as usize;
        let one = &mut unit[at..at + length];
        if one[0] == 0xc4 || one[0] == 0xc6 && one[1] & 15 != 0 {
            let halfwords = i32::from_be_bytes([one[2], one[3], one[4], one[5]]);
            let moved = halfwords + (distance / 2) as i32;
            one[2..6].copy_from_slice(&moved.to_be_bytes());
        }
        at += length;
    }
}

/// Makes a difference's test as small as possible: fewer instructions, then fewer registers and bytes that are not
/// zero.
pub fn shrink(qemu: &Path, difference: &mut Difference) -> std::io::Result<()> {
    let mut ours = Engines::new();
    let mut differs = |address: u64, tests: &[Sequence]| -> std::io::Result<Vec<Option<String>>> {
        let mut all = vec![None; tests.len()];
        let mut moved = tests.to_vec();
        for (n, sequence) in moved.iter_mut().enumerate() {
            // Registers that hold addresses of the test's text move with it.
            for r in &mut sequence.before.gr {
                if (address..address + 128).contains(r) {
                    *r = *r - address + text_address(n);
                }
            }
            let distance = address.wrapping_sub(text_address(n)) as i64;
            sequence.units.iter_mut().for_each(|unit| relocate(unit, distance));
        }
        for (n, what) in verdicts(qemu, &mut ours, &moved, &mut Report::default())? {
            all[n] = Some(what);
        }
        Ok(all)
    };
    // Instructions, one at a time. Tests run at other addresses now; what depends on that is left as it is.
    while difference.sequence.units.len() > 1 {
        let shorter: Vec<Sequence> = (0..difference.sequence.units.len())
            .map(|n| {
                let mut s = difference.sequence.clone();
                s.units.remove(n);
                s
            })
            .collect();
        let results = differs(difference.address, &shorter)?;
        let Some(n) = results.iter().position(Option::is_some) else { break };
        difference.sequence = shorter[n].clone();
        difference.what = results[n].clone().expect("it differs");
    }
    // State: every part that may be zero by itself, then as many of them together as still differ.
    type Change = fn(&mut Sequence, usize);
    let parts: [Change; 4] = [
        |s, n| s.before.gr[n] = 0,
        |s, n| (s.before.fpr.0[n], s.before.fpr.0[n + 16]) = ([0; 2], [0; 2]),
        |s, n| s.before.ar[n] = 0,
        |s, n| s.before.scratch[n * 64..][..64].fill(0),
    ];
    let mut changes: Vec<(Change, usize)> = parts.iter().flat_map(|p| (0..16).map(move |n| (*p, n))).collect();
    changes.push((|s, _| s.before.fpc = 0, 0));
    changes.push((|s, _| s.before.cc = 0, 0));
    changes.push((|s, _| s.before.program_mask = 0, 0));
    for round in 0..4 {
        let each: Vec<Sequence> = changes
            .iter()
            .map(|(change, n)| {
                let mut s = difference.sequence.clone();
                change(&mut s, *n);
                s
            })
            .collect();
        let results = differs(difference.address, &each)?;
        let possible: Vec<_> = changes.iter().zip(&results).filter(|(_, r)| r.is_some()).map(|(c, _)| *c).collect();
        let mut together = Vec::new();
        let mut s = difference.sequence.clone();
        for (change, n) in &possible {
            change(&mut s, *n);
            together.push(s.clone());
        }
        let results = differs(difference.address, &together)?;
        let longest = results.iter().take_while(|r| r.is_some()).count();
        if longest > 0 {
            difference.sequence = together[longest - 1].clone();
            difference.what = results[longest - 1].clone().expect("it differs");
        }
        if longest == possible.len() {
            break;
        }
        // The one that did not go with the others is tried last next time.
        let mut random = Random::new(round);
        for n in (1..changes.len()).rev() {
            changes.swap(n, random.below(n as u64 + 1) as usize);
        }
    }
    Ok(())
}

/// The mnemonic of the first instruction of `text`.
pub fn name(text: &[u8]) -> String {
    let line = listing(text, 0);
    line.split_whitespace().nth(2).unwrap_or_default().to_string()
}

/// A sequence as lines of assembler language.
pub fn listing(text: &[u8], address: u64) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < text.len() {
        let mut six = [0; 6];
        let len = (isa::length(text[at]) as usize).min(text.len() - at);
        six[..len].copy_from_slice(&text[at..at + len]);
        let hex: String = six[..len].iter().map(|b| format!("{b:02X}")).collect();
        let line = isa::disassemble(six, Architecture::Z).unwrap_or_else(|| "?".to_string());
        let _ = writeln!(out, "    {:X} {hex:<12} {line}", address + at as u64);
        at += len;
    }
    out
}

impl Difference {
    /// The difference in words: seed, instructions, state before, what differs, and a `.vec` line.
    pub fn text(&self) -> String {
        let text = self.sequence.text();
        let guilty = self.sequence.units.last().map_or(String::new(), |unit| name(unit));
        let mut out =
            format!("{guilty} (seed {}, {}, test {}): {}\n", self.seed, self.mnemonic, self.number, self.what);
        if self.at_first != self.what {
            let _ = writeln!(out, "    at first: {}", self.at_first);
        }
        out.push_str(&listing(&text, self.address));
        let settings: Vec<String> = settings(&self.sequence).iter().map(Setting::to_string).collect();
        let _ = writeln!(out, "    {} ->", settings.join(" "));
        out
    }
}

/// The state before a test, without what is zero.
pub fn settings(sequence: &Sequence) -> Vec<Setting> {
    let b = &sequence.before;
    let mut list = Vec::new();
    if b.cc != 0 {
        list.push(Setting::Cc(b.cc));
    }
    if b.program_mask != 0 {
        list.push(Setting::Mask(b.program_mask));
    }
    if b.fpc != 0 {
        list.push(Setting::Fpc(b.fpc));
    }
    list.extend((0..16).filter(|n| b.gr[*n] != 0).map(|n| Setting::Gr(n, b.gr[n])));
    list.extend(
        (0..32).filter(|n| b.fpr.0[*n] != [0; 2]).map(|n| Setting::register(n, b.fpr.0[n], b.fpr.0[n][1] != 0)),
    );
    list.extend((0..16).filter(|n| b.ar[*n] != 0).map(|n| Setting::Ar(n, b.ar[n])));
    // Runs of bytes that are not zero; up to three zeros do not end a run.
    let mut at = 0;
    while let Some(first) = (at..b.scratch.len()).find(|n| b.scratch[*n] != 0) {
        let mut end = first + 1;
        while let Some(next) = (end..(end + 4).min(b.scratch.len())).find(|n| b.scratch[*n] != 0) {
            end = next + 1;
        }
        list.push(Setting::Storage(SCRATCH + first as u64, b.scratch[first..end].to_vec()));
        at = end;
    }
    list
}
