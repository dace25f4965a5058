//! Interruptions: why an instruction was left early, and the exchange of PSWs (POP, chapter 6).
//!
//! An instruction that cannot go on returns an [`Interruption`]; the engine finds out where the PSW must point
//! (nullification or suppression) and calls one of the `State` methods here.

use crate::state::{Architecture, Interruption, PerEvent, State};
use arch::lowcore::{EsaSaveArea, SaveArea, esa, z};
use arch::{Absolute, PAGE_MASK, Program, Psw, Real};
use base::layout::{U16, U32, U64};
use std::mem::offset_of;
use storage::NotAvailable;
use zerocopy::IntoBytes;

/// The facility bit of the vector facility.
const VECTOR_FACILITY: u32 = 129;

/// The places of one class of interruption.
struct Exchange {
    old: u64,
    new: u64,
}

fn exchange(arch: Architecture, zarch: (u64, u64), esa: (u64, u64)) -> Exchange {
    let (old, new) = if arch == Architecture::Z { zarch } else { esa };
    Exchange { old, new }
}

impl State {
    /// Stores the old PSW and loads the new one. The instruction address is that of the next instruction to be
    /// executed. An invalid new PSW is an early exception of its own.
    fn exchange_psw(&mut self, at: Exchange) -> Result<(), Interruption> {
        let old = self.psw();
        self.interrupted = at.old;
        let new = if self.architecture() == Architecture::Z {
            self.store_real_u64(at.old, old.mask);
            self.store_real_u64(at.old + 8, old.address);
            Psw::from_long(self.load_real_u64(at.new), self.load_real_u64(at.new + 8))
        } else {
            self.store_real_u64(at.old, old.to_short());
            Psw::from_short(self.load_real_u64(at.new))
        };
        self.set_psw(new);
        if self.psw_is_invalid() { Err(Interruption::EarlySpecification) } else { Ok(()) }
    }

    /// A program interruption with `code`; `ilc` is the instruction length in bytes (0, 2, 4, 6). The instruction
    /// address must be what the old PSW has to show.
    ///
    /// If the new PSW is invalid too, the CPU would loop on early exceptions: it is said to the caller, which stops it.
    pub fn program_interruption(&mut self, why: Interruption, ilc: u8) -> Result<(), Interruption> {
        let code = match why {
            Interruption::Program(p) => p,
            Interruption::Data(dxc) => {
                self.data_exception(dxc);
                Program::Data
            }
            // The vector-exception code goes where a data-exception code goes.
            Interruption::Vector(vxc) => {
                self.data_exception(vxc);
                Program::VectorProcessing
            }
            Interruption::EarlySpecification => Program::Specification,
            Interruption::Intercept | Interruption::Host => {
                unreachable!("what is intercepted, or the host's exception, is not the guest's interruption")
            }
        };
        let zarch = self.architecture() == Architecture::Z;
        // A PER event of the same instruction is indicated in the same interruption.
        let per = match self.per_pending.take() {
            Some(event) => {
                self.store_per_event(event);
                Program::PerEvent as u32
            }
            None => 0,
        };
        // And so is it that a transaction was aborted.
        let aborted = if std::mem::take(&mut self.transaction_aborted) { 0x200 } else { 0 };
        self.store_real_u32(z::PROGRAM_ILC, (ilc as u32) << 16 | code as u32 | per | aborted);
        use Program::*;
        match code {
            Protection
            | SegmentTranslation
            | PageTranslation
            | AsceType
            | RegionFirstTranslation
            | RegionSecondTranslation
            | RegionThirdTranslation => {
                if zarch {
                    self.store_real_u64(z::TRANSLATION_EXCEPTION_ID, self.translation_exception_id);
                } else {
                    // ESA/390: the page address in bits 1-19 and the space in bits 30-31.
                    let id = self.translation_exception_id;
                    self.store_real_u32(esa::TRANSLATION_EXCEPTION_ID, id as u32);
                }
                self.store_real_u8(z::EXCEPTION_ACCESS_ID, self.exception_access_id);
                if code == PageTranslation {
                    self.store_real_u8(z::OPERAND_ACCESS_ID, self.operand_access_id);
                }
            }
            PseudoPageFault => self.store_real_u32(esa::TRANSLATION_EXCEPTION_ID, self.translation_exception_id as u32),
            // An address-space number or a PC number, of 32 bits at most.
            SpaceSwitchEvent | AfxTranslation | AsxTranslation | PrimaryAuthority | SecondaryAuthority
            | LxTranslation | ExTranslation | LfxTranslation | LsxTranslation | LsteSequence | AsteInstance => {
                let at = if zarch { z::TRANSLATION_EXCEPTION_ID + 4 } else { esa::TRANSLATION_EXCEPTION_ID };
                self.store_real_u32(at, self.translation_exception_id as u32);
            }
            // The register is all there is to say of these.
            AletSpecification | AlenTranslation | AleSequence | AsteValidity | AsteSequence | ExtendedAuthority => {
                self.store_real_u8(z::EXCEPTION_ACCESS_ID, self.exception_access_id);
            }
            MonitorEvent => {
                self.store_real_u16(z::MONITOR_CLASS, self.monitor_class as u16);
                if zarch {
                    self.store_real_u64(z::MONITOR_CODE, self.monitor_code);
                } else {
                    self.store_real_u32(esa::MONITOR_CODE, self.monitor_code as u32);
                }
            }
            _ => {}
        }
        if zarch {
            self.store_real_u64(z::BREAKING_EVENT_ADDRESS, self.breaking_event);
        }
        self.exchange_psw(exchange(
            self.architecture(),
            (z::PROGRAM_OLD, z::PROGRAM_NEW),
            (esa::PROGRAM_OLD, esa::PROGRAM_NEW),
        ))
    }

    /// A program interruption for the PER event in `per_pending` alone, if there is one.
    pub fn per_interruption(&mut self, ilc: u8) -> Result<(), Interruption> {
        match self.per_pending {
            Some(_) => self.program_interruption(Interruption::Program(Program::PerEvent), ilc),
            None => Ok(()),
        }
    }

    /// Stores what identifies a PER event.
    fn store_per_event(&mut self, event: PerEvent) {
        self.store_real_u16(z::PER_CODE, (event.code as u16) << 8 | event.atmid as u16);
        if self.architecture() == Architecture::Z {
            self.store_real_u64(z::PER_ADDRESS, event.address);
        } else {
            self.store_real_u32(esa::PER_ADDRESS, event.address as u32);
        }
        self.store_real_u8(z::PER_ACCESS_ID, 0);
    }

    /// SUPERVISOR CALL.
    pub fn svc_interruption(&mut self, code: u8, ilc: u8) -> Result<(), Interruption> {
        self.store_real_u32(z::SVC_ILC, (ilc as u32) << 16 | code as u32);
        self.exchange_psw(exchange(self.architecture(), (z::SVC_OLD, z::SVC_NEW), (esa::SVC_OLD, esa::SVC_NEW)))
    }

    /// An external interruption. `cpu` is the source CPU's address for signals, 0 otherwise (a subcode for
    /// CP's services); `parameter` is stored for service signals and CP's services.
    pub fn external_interruption(
        &mut self,
        code: u16,
        cpu: u16,
        parameter: Option<u32>,
        parameter64: Option<u64>,
    ) -> Result<(), Interruption> {
        self.store_real_u16(z::EXTERNAL_CPU_ADDRESS, cpu);
        self.store_real_u16(z::EXTERNAL_CODE, code);
        if let Some(p) = parameter {
            self.store_real_u32(z::EXTERNAL_PARAMETER, p);
        }
        if let Some(p) = parameter64 {
            self.store_real_u64(z::EXTERNAL_PARAMETER_64, p);
        }
        self.exchange_psw(exchange(
            self.architecture(),
            (z::EXTERNAL_OLD, z::EXTERNAL_NEW),
            (esa::EXTERNAL_OLD, esa::EXTERNAL_NEW),
        ))
    }

    /// An I/O interruption: subsystem-identification word, interruption parameter, identification word.
    pub fn io_interruption(&mut self, subsystem: u32, parameter: u32, id_word: u32) -> Result<(), Interruption> {
        self.store_real_u32(z::SUBSYSTEM_ID, subsystem);
        self.store_real_u32(z::IO_PARAMETER, parameter);
        self.store_real_u32(z::IO_IDENTIFICATION, id_word);
        self.exchange_psw(exchange(self.architecture(), (z::IO_OLD, z::IO_NEW), (esa::IO_OLD, esa::IO_NEW)))
    }

    /// A machine-check interruption; all registers go to their save areas, the vector registers to the extended one if
    /// the program has designated it.
    pub fn machine_check_interruption(&mut self, code: u64) -> Result<(), Interruption> {
        const VECTOR_REGISTERS_VALID: u64 = base::bits::bit64(25);
        let mut saved = false;
        if self.architecture() == Architecture::Z && self.has(VECTOR_FACILITY) {
            let area = self.load_real_u64(z::EXTENDED_SAVE_AREA) & !0x3ff;
            saved = area != 0 && self.store_vectors_at(area).is_ok();
        }
        self.store_real_u64(z::MACHINE_CHECK_CODE, code | if saved { VECTOR_REGISTERS_VALID } else { 0 });
        self.save(Absolute(self.prefix + self.save_area()), false);
        self.store_real_u8(z::ARCHITECTURE_MODE, (self.architecture() == Architecture::Z) as u8);
        self.exchange_psw(exchange(
            self.architecture(),
            (z::MACHINE_CHECK_OLD, z::MACHINE_CHECK_NEW),
            (esa::MACHINE_CHECK_OLD, esa::MACHINE_CHECK_NEW),
        ))
    }

    /// RESTART: the current PSW becomes the restart old PSW.
    pub fn restart_interruption(&mut self) -> Result<(), Interruption> {
        self.exchange_psw(exchange(
            self.architecture(),
            (z::RESTART_OLD, z::RESTART_NEW),
            (esa::RESTART_OLD, esa::RESTART_NEW),
        ))
    }

    /// STORE STATUS: all registers, the PSW, the prefix and the architecture go to the save areas at absolute 0.
    pub fn store_status(&mut self) {
        self.store_status_at(self.save_area());
        let mode = (self.architecture() == Architecture::Z) as u8;
        self.storage().write(Absolute(z::ARCHITECTURE_MODE), &[mode]).expect("0 always exists");
    }

    /// The same with the save area at absolute `at`, where all of it must exist.
    pub fn store_status_at(&mut self, at: u64) {
        self.save(Absolute(at), true);
    }

    /// STORE ADDITIONAL STATUS: the vector registers go to the first 512 bytes of an area in absolute storage; after
    /// 1024 bytes, if it is so long, follow the guarded-storage registers.
    pub fn store_additional_status(&mut self, area: std::ops::Range<u64>) -> Result<(), NotAvailable> {
        self.store_vectors_at(area.start)?;
        let guarded = area.start + 1024;
        if guarded < area.end {
            self.storage().write(Absolute(guarded), self.guarded.controls().as_bytes())?;
        }
        Ok(())
    }

    /// Stores the vector registers in the 512 bytes at absolute `at`.
    fn store_vectors_at(&self, at: u64) -> Result<(), NotAvailable> {
        let registers = self.fpr.0.map(|halves| halves.map(U64::new));
        self.storage().write(Absolute(at), registers.as_bytes())
    }

    /// Where the save area is, from the beginning of the prefix area or of storage.
    fn save_area(&self) -> u64 {
        if self.architecture() == Architecture::Z { z::SAVE_AREA } else { esa::SAVE_AREA }
    }

    /// Stores all registers and timers in the save area at `at`, and the PSW and the prefix, too, with `status`. The
    /// rest of it is not touched: other CPUs may store there meanwhile.
    fn save(&mut self, at: Absolute, status: bool) {
        let (psw, timer) = (self.psw(), self.cpu_timer());
        let storage = self.storage();
        let put = |offset: usize, field: &[u8]| {
            let there = storage.write(Absolute(at.0 + offset as u64), field);
            there.expect("callers check that the area exists");
        };
        if self.architecture() == Architecture::Z {
            put(offset_of!(SaveArea, floating_point), self.fpr.floating().map(U64::new).as_bytes());
            put(offset_of!(SaveArea, general), self.gr.map(U64::new).as_bytes());
            if status {
                put(offset_of!(SaveArea, psw), [psw.mask, psw.address].map(U64::new).as_bytes());
                put(offset_of!(SaveArea, prefix), U32::new(self.prefix as u32).as_bytes());
            }
            put(offset_of!(SaveArea, fpc), U32::new(self.fpc).as_bytes());
            put(offset_of!(SaveArea, tod_programmable), U32::new(self.tod_programmable).as_bytes());
            put(offset_of!(SaveArea, cpu_timer), U64::new(timer).as_bytes());
            put(offset_of!(SaveArea, clock_comparator), U64::new(self.clock_comparator >> 8).as_bytes());
            put(offset_of!(SaveArea, access), self.ar.map(U32::new).as_bytes());
            put(offset_of!(SaveArea, control), self.cr.map(U64::new).as_bytes());
        } else {
            put(offset_of!(EsaSaveArea, cpu_timer), U64::new(timer).as_bytes());
            put(offset_of!(EsaSaveArea, clock_comparator), U64::new(self.clock_comparator).as_bytes());
            if status {
                put(offset_of!(EsaSaveArea, psw), U64::new(psw.to_short()).as_bytes());
                put(offset_of!(EsaSaveArea, prefix), U32::new(self.prefix as u32).as_bytes());
            }
            put(offset_of!(EsaSaveArea, access), self.ar.map(U32::new).as_bytes());
            put(offset_of!(EsaSaveArea, floating_point), [0, 2, 4, 6].map(|r| U64::new(self.fpr[r])).as_bytes());
            put(offset_of!(EsaSaveArea, general), self.gr.map(|v| U32::new(v as u32)).as_bytes());
            put(offset_of!(EsaSaveArea, control), self.cr.map(|v| U32::new(v as u32)).as_bytes());
        }
    }

    /// Notes the data-exception code: at its assigned location, and in the FPC register when AFP control is on and
    /// it is one that goes there (POP, chapter 6, "Data-exception code").
    fn data_exception(&mut self, dxc: u8) {
        self.store_real_u32(z::DATA_EXCEPTION_CODE, dxc as u32);
        if self.afp_enabled() {
            self.fpc = self.fpc & !0xff00 | (dxc as u32) << 8;
        }
    }

    /// The addressing and translation mode for a PER event (POP, chapter 4, "PER ATMID"): to be taken before the
    /// instruction is executed.
    pub fn per_atmid(&self) -> u8 {
        let psw = self.psw();
        let amode =
            (psw.is(arch::mask::EXTENDED_ADDRESSING) as u8) << 7 | (psw.is(arch::mask::BASIC_ADDRESSING) as u8) << 5;
        amode | 0x40 | (psw.is(arch::mask::DAT) as u8) << 4 | (psw.space() as u8) << 2
    }
}

/// Locations in the prefix area. A prefix is only accepted if its area exists, so these never fail.
impl State {
    pub(crate) fn low(&self, real: u64) -> Absolute {
        match &self.interpretation {
            None => self.absolute(Real(real)),
            Some(interpretation) => interpretation.low(real),
        }
    }

    fn store_real(&mut self, real: u64, v: &[u8]) {
        let at = self.low(real);
        self.watch_frame(at.0 & PAGE_MASK);
        self.storage().store(at, v).expect("the prefix area lies in storage");
    }

    pub(crate) fn store_real_u8(&mut self, real: u64, v: u8) {
        self.store_real(real, &[v]);
    }

    pub(crate) fn store_real_u16(&mut self, real: u64, v: u16) {
        self.store_real(real, U16::new(v).as_bytes());
    }

    /// Stores a word at a real address of the prefix area.
    pub fn store_real_u32(&mut self, real: u64, v: u32) {
        self.store_real(real, U32::new(v).as_bytes());
    }

    pub(crate) fn store_real_u64(&mut self, real: u64, v: u64) {
        self.store_real(real, U64::new(v).as_bytes());
    }

    pub(crate) fn load_real_u64(&mut self, real: u64) -> u64 {
        let at = self.low(real);
        self.storage().load_u64(at).expect("the prefix area lies in storage")
    }
}
