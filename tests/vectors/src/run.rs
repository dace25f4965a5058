//! Runs case lines: what an instruction really changes, against what the line says.

use crate::file::{Case, Vector, mode_name};
use crate::machine::{Event, Machine};
use crate::setting::Setting;
use arch::{Absolute, Psw, Real, lowcore, mask};
use cpu::transaction::Beginning;
use cpu::{Architecture, VectorRegisters, cr0};
use isa::Instruction;
use isa::watch::Registers;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Where the instruction lies unless the line says otherwise.
pub const TEXT: u64 = 0x8000;
/// Where a transaction goes on that a line has begun, when it aborts.
pub const ABORTED: u64 = TEXT + 0x100;
/// Bytes of storage; what lies beyond it is not available.
pub const STORAGE: u64 = 0x4_0000;
/// Below this the interruption stores its codes and old PSWs: not compared after one.
const PREFIX_AREA: usize = 0x2000;

/// Everything a case can set or change, as values.
#[derive(Clone, PartialEq, Eq)]
struct Image {
    gr: [u64; 16],
    fpr: VectorRegisters,
    ar: [u32; 16],
    cr: [u64; 16],
    fpc: u32,
    cc: u8,
    program_mask: u8,
    psw: u64,
    ia: u64,
    prefix: u64,
    counters: u16,
    transactions: u16,
    storage: Vec<u8>,
    keys: Vec<u8>,
}

/// Most instructions of a case that is run as part of a program.
const LENGTH: i64 = 100;

/// What a case came to as part of a program.
pub struct Passed {
    event: Event,
    is: Image,
    count: u64,
}

impl Passed {
    /// How it differs from what it came to elsewhere.
    pub fn difference(&self, other: &Passed) -> Option<String> {
        let changes = changes(&self.is, &other.is, &Event::None, self.is.ia, 0, true);
        let mut found: Vec<String> = changes.iter().map(Setting::to_string).collect();
        if self.event != other.event {
            found.push(format!("{:?} / {:?}", self.event, other.event));
        }
        if self.count != other.count {
            found.push(format!("{} / {} instructions", self.count, other.count));
        }
        (!found.is_empty()).then(|| found.join(" "))
    }
}

/// A machine that runs cases one after another.
pub struct Runner {
    machine: Machine,
    blank: Image,
    /// Frames a case may have changed, to be cleared before the next.
    dirty: Vec<u64>,
}

impl Runner {
    /// A CPU in `architecture`, its storage zero.
    pub fn new(architecture: Architecture) -> Runner {
        let mut machine = Machine::new(architecture, STORAGE);
        machine.prepare_interruptions();
        machine.state.cr[0] |= cr0::AFP | cr0::VECTOR;
        machine.state.control_changed();
        let psw = machine.default_mask();
        machine.state.set_psw(Psw { mask: psw, address: TEXT });
        let blank = image(&machine);
        Runner { machine, blank, dirty: Vec::new() }
    }

    /// The same, with blocks translated when they have been interpreted so often (0: never) by [`Runner::passed`].
    pub fn translating(architecture: Architecture, executions: u8) -> Runner {
        let mut runner = Runner::new(architecture);
        runner.machine.set_patience(executions);
        runner
    }

    /// Runs one case and returns what the right-hand side of its line should say.
    pub fn actual(&mut self, text: &[u8], before: &[Setting]) -> Result<Vec<Setting>, String> {
        self.set_up(text, before)?;
        let was = image(&self.machine);
        let event = self.machine.step();
        let is = self.looked_at();
        let ia = before.iter().fold(TEXT, |ia, setting| if let Setting::Ia(at) = setting { *at } else { ia });
        let zarch = self.machine.state.architecture() == Architecture::Z;
        Ok(changes(&was, &is, &event, ia, text.len() as u64, zarch))
    }

    /// Runs one case. Of the bytes of storage that it changed, how many there are, and those of which the row does not
    /// say that they may be stored. `None` if addresses are translated, if there may be a trace entry,
    /// or if the instruction ends in an interruption.
    pub fn stored_elsewhere(&mut self, text: &[u8], before: &[Setting]) -> Result<Option<(usize, Vec<u64>)>, String> {
        self.set_up(text, before)?;
        let was = image(&self.machine);
        let s = &self.machine.state;
        let mut six = [0; 6];
        six[..text.len()].copy_from_slice(text);
        let row = Instruction::of(six, s.architecture()).ok_or("there is no such instruction")?;
        let (address, mask) = (s.ia, s.address_mask);
        let operands = row.addressed(six, &Registers { address, mask, general: &was.gr, vector: &was.fpr });
        let event = self.machine.step();
        let is = self.looked_at();
        let traced = was.cr[12] != 0;
        if event != Event::None || was.psw & mask::DAT != 0 || was.prefix != 0 || traced {
            return Ok(None);
        }
        let changed: Vec<u64> = (0..STORAGE).filter(|&n| was.storage[n as usize] != is.storage[n as usize]).collect();
        // An operand may go on at address 0.
        let within = |at: u64| operands.iter().any(|o| at.wrapping_sub(o.address) & mask < o.stored);
        Ok(Some((changed.len(), changed.into_iter().filter(|&at| !within(at)).collect())))
    }

    /// Runs one case as part of a program, up to an interruption: what follows it is mostly no instruction.
    pub fn passed(&mut self, text: &[u8], before: &[Setting]) -> Result<Passed, String> {
        self.set_up(text, before)?;
        let count = self.machine.state.instructions;
        let event = self.machine.run(LENGTH);
        let is = self.looked_at();
        Ok(Passed { event, is, count: self.machine.state.instructions - count })
    }

    /// The state afterwards; what changed in storage will be put back.
    fn looked_at(&mut self) -> Image {
        let is = image(&self.machine);
        for frame in 0..STORAGE as usize / 4096 {
            let range = frame * 4096..(frame + 1) * 4096;
            if is.storage[range.clone()] != self.blank.storage[range] {
                self.dirty.push(frame as u64 * 4096);
            }
        }
        is
    }

    fn set_up(&mut self, text: &[u8], before: &[Setting]) -> Result<(), String> {
        self.reset();
        let mut ia = TEXT;
        for setting in before {
            if let Setting::Ia(at) = setting {
                ia = *at;
            }
        }
        // At a virtual address the line itself puts it where it belongs.
        if ia < STORAGE {
            self.store(ia, text)?;
        }
        self.machine.state.ia = ia;
        self.machine.state.next_ia = ia;
        for setting in before {
            self.set(setting)?;
        }
        self.machine.state.control_changed();
        self.machine.state.purge_tlb();
        Ok(())
    }

    /// Everything as it was in the beginning.
    fn reset(&mut self) {
        let m = &mut self.machine;
        for frame in self.dirty.drain(..) {
            let was = &self.blank.storage[frame as usize..][..4096];
            m.storage.write(Absolute(frame), was).expect("the frame exists");
        }
        for (n, key) in self.blank.keys.iter().enumerate() {
            m.storage.set_key(Absolute(n as u64 * 4096), *key).expect("the frame exists");
        }
        let b = &self.blank;
        let s = &mut m.state;
        // Timers and the clock have no setting of their own.
        s.initial_reset();
        s.set_counter_controls(0, 0);
        s.shared().tod_offset.store(0, std::sync::atomic::Ordering::Relaxed);
        (s.gr, s.fpr, s.ar, s.cr, s.fpc) = (b.gr, b.fpr, b.ar, b.cr, b.fpc);
        s.set_prefix(b.prefix).expect("the prefix area exists");
        s.set_psw(Psw { mask: b.psw, address: TEXT });
        s.cc = 0;
        s.program_mask = 0;
        s.stopped = false;
    }

    fn store(&mut self, at: u64, bytes: &[u8]) -> Result<(), String> {
        self.machine.storage.write(Absolute(at), bytes).map_err(|why| why.to_string())?;
        let last = at + bytes.len() as u64 - 1;
        self.dirty.extend([at & !4095, last & !4095]);
        Ok(())
    }

    fn set(&mut self, setting: &Setting) -> Result<(), String> {
        let s = &mut self.machine.state;
        match setting {
            Setting::Gr(n, v) => s.gr[*n] = *v,
            Setting::Fpr(n, v) => s.fpr[*n] = *v,
            Setting::Vr(n, v) => s.set_vr(*n as u8, *v),
            Setting::Ar(n, v) => s.ar[*n] = *v,
            Setting::Cr(n, v) => s.cr[*n] = *v,
            Setting::Fpc(v) => s.fpc = *v,
            Setting::Cc(v) => s.cc = *v,
            Setting::Mask(v) => s.program_mask = *v,
            Setting::Key(v) => {
                let psw = s.psw_mask() & !mask::KEY | u64::from(*v) << 52;
                s.set_psw_mask(psw);
            }
            Setting::Psw(v) => s.set_psw_mask(*v),
            Setting::Ia(_) => {}
            Setting::Prefix(v) => s.set_prefix(*v).map_err(|why| why.to_string())?,
            Setting::Counters(v) => s.set_counter_controls(*v, 0),
            Setting::Transactions(depth) => {
                for _ in 0..*depth {
                    s.begin_transaction(Beginning {
                        constrained: false,
                        save: 0,
                        block: None,
                        resume: ABORTED,
                        filtering: 0,
                        access_registers: true,
                        floating_point: true,
                    });
                }
            }
            Setting::Storage(at, bytes) => {
                let (at, bytes) = (*at, bytes.clone());
                self.store(at, &bytes)?;
            }
            Setting::StorageKey(at, v) => {
                self.machine.storage.set_key(Absolute(*at), *v).map_err(|why| why.to_string())?;
            }
            other => return Err(format!("{other} can only be expected, not set")),
        }
        Ok(())
    }

    /// Whether a case does what its line says; if not, in which way.
    pub fn check(&mut self, text: &[u8], case: &Case) -> Result<(), String> {
        let actual = self.actual(text, &case.before)?;
        let (expected, mut actual) = (normal(&case.after), normal(&actual));
        let mut wrong = Vec::new();
        for setting in &case.after {
            if let Setting::Digest(at, length, _) = setting {
                let is = self.digest(*at, *length)?;
                if is != *setting {
                    wrong.push(format!("it is {is}"));
                }
                for n in *at..at + length {
                    actual.remove(&place(n));
                }
            }
        }
        for (name, value) in &expected {
            match actual.get(name) {
                Some(is) if is == value => {}
                Some(is) => wrong.push(format!("{name} is {is}, the line says {value}")),
                // What did not change may be said all the same.
                None if self.unchanged(name, value, case) => {}
                None => wrong.push(format!("{name} did not become {value}")),
            }
        }
        for (name, is) in &actual {
            if !expected.contains_key(name) {
                wrong.push(format!("{name} became {is}, the line does not say so"));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    /// The digest of `length` bytes at `at` as they are now.
    fn digest(&self, at: u64, length: u64) -> Result<Setting, String> {
        let mut bytes = vec![0; length as usize];
        self.machine.storage.read(Absolute(at), &mut bytes).map_err(|why| why.to_string())?;
        Ok(Setting::Digest(at, length, Sha256::digest(&bytes).into()))
    }

    /// Whether an expectation is of something that is as it was before.
    fn unchanged(&self, name: &str, value: &str, case: &Case) -> bool {
        let before = normal(&case.before);
        match before.get(name) {
            Some(was) => was == value,
            None => {
                value.chars().all(|c| c == '0') && !matches!(name, "pgm" | "ilc" | "dxc" | "svc" | "intercept" | "ia")
            }
        }
    }
}

/// What a byte of storage is called in [`normal`].
fn place(at: u64) -> String {
    format!("@{at:05X}")
}

/// A side of a line as names and values in one notation, storage byte by byte. Digests are compared by themselves.
fn normal(side: &[Setting]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for setting in side {
        if let Setting::Storage(at, bytes) = setting {
            for (n, byte) in bytes.iter().enumerate() {
                all.insert(place(at + n as u64), format!("{byte:02X}"));
            }
        } else if let Setting::Digest(..) = setting {
            continue;
        } else if let Setting::Fpr(n, v) = setting {
            all.insert(format!("v{n} left"), format!("{v:016X}"));
        } else if let Setting::Vr(n, v) = setting {
            all.insert(format!("v{n} left"), format!("{:016X}", v >> 64));
            all.insert(format!("v{n} right"), format!("{:016X}", *v as u64));
        } else {
            let text = setting.to_string();
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            all.insert(name.to_string(), value.to_string());
        }
    }
    all
}

fn image(m: &Machine) -> Image {
    let s = &m.state;
    let frames = || (0..STORAGE / 4096).map(|n| Absolute(n * 4096));
    let keys: Vec<u8> = frames().map(|frame| m.storage.key(frame).expect("the frame exists")).collect();
    let mut storage = vec![0; STORAGE as usize];
    m.storage.read(Absolute(0), &mut storage).expect("all of storage");
    // Looking is no reference.
    for (frame, key) in frames().zip(&keys) {
        m.storage.set_key(frame, *key).expect("the frame exists");
    }
    Image {
        gr: s.gr,
        fpr: s.fpr,
        ar: s.ar,
        cr: s.cr,
        fpc: s.fpc,
        cc: s.cc,
        program_mask: s.program_mask,
        psw: s.psw_mask(),
        ia: s.ia,
        prefix: s.absolute(Real(0)).0,
        counters: s.counters.enabled,
        transactions: s.transaction.as_ref().map_or(0, |t| t.depth),
        storage,
        keys: keys.into_iter().map(|key| key & 0xf8).collect(),
    }
}

/// What the right-hand side of a line says of the difference between two images.
fn changes(was: &Image, is: &Image, event: &Event, ia: u64, length: u64, zarch: bool) -> Vec<Setting> {
    let mut list = Vec::new();
    let mut interrupted = true;
    match event {
        Event::None => interrupted = false,
        Event::Program { code, ilc, dxc } => {
            list.push(Setting::Program(*code));
            list.push(Setting::Ilc(*ilc));
            if matches!(*code, 7 | 0x1b) {
                list.push(Setting::Dxc(*dxc));
            }
            if matches!(code, 0x10 | 0x11 | 0x38..=0x3b) {
                list.push(Setting::Tea(translation_exception_id(is, zarch)));
            }
        }
        Event::Svc(n) => list.push(Setting::Svc(*n)),
        Event::Intercepted(what) | Event::Other(what) => list.push(Setting::Intercept(what.clone())),
    }
    if is.cc != was.cc {
        list.push(Setting::Cc(is.cc));
    }
    if is.program_mask != was.program_mask {
        list.push(Setting::Mask(is.program_mask));
    }
    list.extend((0..16).filter(|n| is.gr[*n] != was.gr[*n]).map(|n| Setting::Gr(n, is.gr[n])));
    let (vectors, old) = (is.fpr.0, was.fpr.0);
    let changed = (0..32).filter(|n| vectors[*n] != old[*n]);
    list.extend(changed.map(|n| Setting::register(n, vectors[n], vectors[n][1] != old[n][1])));
    list.extend((0..16).filter(|n| is.ar[*n] != was.ar[*n]).map(|n| Setting::Ar(n, is.ar[n])));
    list.extend((0..16).filter(|n| is.cr[*n] != was.cr[*n]).map(|n| Setting::Cr(n, is.cr[n])));
    if is.fpc != was.fpc {
        list.push(Setting::Fpc(is.fpc));
    }
    let from = if interrupted { PREFIX_AREA } else { 0 };
    let mut at = from;
    while let Some(first) = (at..STORAGE as usize).find(|n| is.storage[*n] != was.storage[*n]) {
        // A run ends before four bytes that did not change.
        let mut end = first + 1;
        for n in first..STORAGE as usize {
            if is.storage[n] != was.storage[n] {
                end = n + 1;
            } else if n >= end + 4 {
                break;
            }
        }
        list.push(Setting::Storage(first as u64, is.storage[first..end].to_vec()));
        at = end;
    }
    for (n, key) in is.keys.iter().enumerate() {
        if *key != was.keys[n] {
            list.push(Setting::StorageKey(n as u64 * 4096, *key));
        }
    }
    if is.prefix != was.prefix {
        list.push(Setting::Prefix(is.prefix));
    }
    if is.counters != was.counters {
        list.push(Setting::Counters(is.counters));
    }
    if is.transactions != was.transactions {
        list.push(Setting::Transactions(is.transactions));
    }
    if is.psw != was.psw {
        list.push(Setting::Psw(is.psw));
    }
    if is.ia != ia + length {
        list.push(Setting::Ia(is.ia));
    }
    list
}

/// What a translation exception left in the prefix area.
fn translation_exception_id(image: &Image, zarch: bool) -> u64 {
    let (at, bytes) =
        if zarch { (lowcore::z::TRANSLATION_EXCEPTION_ID, 8) } else { (lowcore::esa::TRANSLATION_EXCEPTION_ID, 4) };
    let at = (image.prefix + at) as usize;
    image.storage[at..at + bytes].iter().fold(0, |id, byte| id << 8 | u64::from(*byte))
}

/// A vector against the processor: every case in every mode, and how it is decoded and disassembled. What is wrong, a
/// line each.
pub fn check(vector: &Vector, runners: &mut BTreeMap<&'static str, Runner>) -> Vec<String> {
    let mut wrong = Vec::new();
    for mode in &vector.modes {
        let line = disassemble(&vector.text, *mode);
        if line.as_deref() != Some(&vector.disassembly) {
            let line = line.unwrap_or_else(|| "no instruction".to_string());
            wrong.push(format!("{}: in {} it reads {line}", vector.line, mode_name(*mode)));
            continue;
        }
        let runner = runners.entry(mode_name(*mode)).or_insert_with(|| Runner::new(*mode));
        for case in &vector.cases {
            if let Err(why) = runner.check(&vector.text, case) {
                wrong.push(format!("{}: {}\n      in {}: {why}", case.line, case.text().trim(), mode_name(*mode)));
            }
        }
    }
    wrong
}

/// An instruction's text in assembler language.
pub fn disassemble(text: &[u8], mode: Architecture) -> Option<String> {
    let mut six = [0; 6];
    six[..text.len()].copy_from_slice(text);
    isa::disassemble(six, mode)
}
