//! Initial program loading and resets (POP, chapter 17, and chapter 4, "Resets").

use crate::Configuration;
use arch::io::{Irb, SubsystemId};
use arch::ipl::{IplBlock, KernelParameters};
use arch::{Absolute, Psw, lowcore};
use base::Held;
use base::ebcdic::{self, padded};
use cpu::Architecture;
use css::Ipl;
use serde::{Deserialize, Serialize};
use std::io;
use zerocopy::{FromBytes, IntoBytes};

/// Where the guest was loaded from: what DIAGNOSE 308 hands out and re-IPL uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum IplSource {
    /// The device with this number.
    Device(u16),
    /// Loaded by CP, not from a device.
    Direct,
}

/// What the last IPL was.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct IplParameters {
    pub source: Option<IplSource>,
    load_parameter: Option<[u8; 8]>,
    /// `IPL ... PARM text`, at most 64 characters.
    pub parm: String,
    /// What DIAGNOSE 308 subcode 5 left for the next IPL.
    pub next: Option<NextIpl>,
}

/// A block that describes an IPL.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct NextIpl(#[serde(with = "base::hex")] pub IplBlock);

impl IplParameters {
    /// The load parameter in EBCDIC, blanks if none.
    pub(crate) fn load_parameter(&self) -> [u8; 8] {
        self.load_parameter.unwrap_or([ebcdic::BLANK; 8])
    }
}

/// Why an IPL did not succeed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IplError {
    /// There is no device of this number.
    #[error("device {0:04X} does not exist")]
    NoDevice(u16),
    /// The channel program ended in this way.
    #[error(
        "IPL from device {:04X} failed: device status {:02X}, subchannel status {:02X}",
        .0, .1.scsw.device.0, .1.scsw.subchannel
    )]
    Failed(u16, Irb),
    /// The channel program does not end: the device has nothing to give.
    #[error("device {0:04X} has nothing to load")]
    NotReady(u16),
    /// The PSW that was read is not valid.
    #[error("what was loaded does not begin with a PSW: {:016X}", .0.to_short())]
    InvalidPsw(Psw),
}

/// Why files could not be put into storage.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// The kernel is no Linux kernel for s390x.
    #[error("not a Linux kernel for s390x")]
    NotAKernel,
    /// Kernel, command line and initial ramdisk need so many bytes.
    #[error(
        "the kernel and its initial ramdisk need {} MiB of storage, the virtual machine has {}",
        .needed.div_ceil(1 << 20), .storage >> 20
    )]
    TooSmall {
        /// Bytes of storage that it needs.
        needed: u64,
        /// Bytes of storage that the configuration has.
        storage: u64,
    },
    /// The kernel has room for so many bytes of command line.
    #[error("the kernel's command line may have {max} bytes")]
    CommandLineTooLong {
        /// The most bytes that there is room for.
        max: usize,
    },
    /// What is to be loaded cannot be read; the host says why.
    #[error("{0}")]
    Unreadable(String),
}

/// What is put into storage as it is: a kernel, a ramdisk.
pub trait Image {
    /// How many bytes it has.
    fn size(&self) -> u64;

    /// Bytes of it from `at` on, all of which it has.
    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()>;
}

impl<T: AsRef<[u8]> + ?Sized> Image for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        to.copy_from_slice(&self.as_ref()[at as usize..][..to.len()]);
        Ok(())
    }
}

impl LoadError {
    fn unreadable(error: io::Error) -> LoadError {
        LoadError::Unreadable(error.to_string())
    }
}

/// Fields of a Linux kernel image.
mod kernel {
    pub(super) const ENTRY: u64 = 0x1_0000;
    pub(super) const MAGIC: usize = 0x1_0008;
    /// Its [`KernelParameters`](arch::ipl::KernelParameters).
    pub(super) const PARAMETERS: u64 = 0x1_0400;
    pub(super) const COMMAND_LINE: u64 = 0x1_0480;
    /// Where the ramdisk goes, or as much higher as the kernel takes: low, so that it is in the storage that mem=
    /// leaves the kernel. A kernel that wants to be decompressed there moves the ramdisk up first.
    pub(super) const INITRD_LOWEST: u64 = 8 << 20;
}

impl Configuration {
    /// System reset: all CPUs stopped and reset, the channel subsystem reset, nothing pending. With `clear`, storage
    /// and registers are zero too.
    pub fn reset(&self, clear: bool) {
        for n in 0..self.cpus.len() as u16 {
            let mut core = self.interrupted_cpu(n);
            if clear {
                core.state.clear_reset();
            } else {
                core.state.initial_reset();
            }
            core.state.set_architecture(Architecture::Esa);
            core.state.clock_comparator = 0;
            self.cpus[n as usize].stopped.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        self.css().reset();
        self.shared.floating.clear();
        self.service.lock().held().reset();
        if clear {
            self.storage().clear();
            self.replace_wrapping_keys();
        }
    }

    /// Reset for IPL, and IPL from device `number` on CPU 0. With `clear`, storage is zero before. `start`: begin to
    /// execute; otherwise CPU 0 is left stopped with the PSW loaded.
    pub fn ipl(&self, number: u16, load_parameter: &str, parm: &str, clear: bool, start: bool) -> Result<(), IplError> {
        self.reset(clear);
        let id = self.css().find(number).ok_or(IplError::NoDevice(number))?;
        {
            let mut ipl = self.ipl.lock().held();
            ipl.source = Some(IplSource::Device(number));
            ipl.load_parameter = (!load_parameter.is_empty()).then(|| padded(load_parameter));
            ipl.parm = parm.chars().take(64).collect();
            ipl.next = None;
        }
        self.load(number, id)?;
        let storage = self.storage();
        let at = |a| Absolute(a);
        let word = storage.read_u64(at(0)).expect("every configuration has a first page");
        let psw = Psw::from_short(word);
        if psw.is_invalid() {
            return Err(IplError::InvalidPsw(psw));
        }
        storage.write_u32(at(lowcore::z::SUBSYSTEM_ID), id.encode()).expect("as above");
        storage.write_u32(at(lowcore::z::IO_PARAMETER), 0).expect("as above");
        self.begin(0, psw, start);
        Ok(())
    }

    /// The channel program of an IPL.
    fn load(&self, number: u16, id: SubsystemId) -> Result<(), IplError> {
        let mut css = self.css();
        let mut state = css.start_ipl(id);
        // A device that makes the program wait has nothing to load; a long program goes on while there is work.
        for _ in 0..1000 {
            match state {
                Ipl::Loaded => return Ok(()),
                Ipl::Failed(irb) => return Err(IplError::Failed(number, irb)),
                Ipl::NotOperational => return Err(IplError::NoDevice(number)),
                Ipl::Running if !self.pending.work() => break,
                Ipl::Running => {
                    css.attend();
                    state = css.test_ipl(id);
                }
            }
        }
        css.clear_subchannel(id);
        css.test_subchannel(id);
        Err(IplError::NotReady(number))
    }

    /// A CPU gets a PSW and begins.
    pub(crate) fn begin(&self, cpu: u16, psw: Psw, start: bool) {
        self.interrupted_cpu(cpu).state.set_psw(psw);
        if start {
            self.start(cpu);
        }
    }

    /// Puts a Linux kernel, its initial ramdisk and its command line into storage and starts CPU 0 at the kernel's
    /// entry: IPL without a device.
    pub fn load_direct(
        &self,
        kernel: &(impl Image + ?Sized),
        initrd: &(impl Image + ?Sized),
        command_line: &str,
    ) -> Result<(), LoadError> {
        let mut header = vec![0; kernel.size().min(kernel::COMMAND_LINE) as usize];
        kernel.read(0, &mut header).map_err(LoadError::unreadable)?;
        if header.get(kernel::MAGIC..kernel::MAGIC + 6) != Some(b"S390EP") {
            return Err(LoadError::NotAKernel);
        }
        let size = self.storage().size();
        let kernel_end = kernel.size().next_multiple_of(1 << 20);
        // In storage of no more than 8 MiB the ramdisk goes to the top.
        let top = size.saturating_sub(initrd.size()) & !0xffff;
        let initrd_start = kernel_end.max(kernel::INITRD_LOWEST.min(top));
        if initrd_start + initrd.size() > size {
            return Err(LoadError::TooSmall { needed: kernel_end + initrd.size() + (64 << 20), storage: size });
        }
        let parameters = header.get(kernel::PARAMETERS as usize..).unwrap_or_default();
        let (mut parameters, _) = KernelParameters::read_from_prefix(parameters).map_err(|_| LoadError::NotAKernel)?;
        let max = match parameters.command_line_size.get() {
            n @ 1..=0x1_0000 => n as usize,
            _ => 896,
        };
        if command_line.len() >= max {
            return Err(LoadError::CommandLineTooLong { max: max - 1 });
        }
        self.reset(true);
        // Neither part of storage has been touched yet: the host provides it while the images are read.
        self.storage().expect(Absolute(0), kernel.size());
        self.storage().expect(Absolute(initrd_start), initrd.size());
        self.put_image(initrd_start, initrd)?;
        self.put_image(0, kernel)?;
        let put = |at: u64, bytes: &[u8]| {
            self.storage().write(Absolute(at), bytes).expect("the size was compared with storage");
        };
        if initrd.size() != 0 {
            parameters.initrd_start.set(initrd_start);
            parameters.initrd_size.set(initrd.size());
            put(kernel::PARAMETERS, parameters.as_bytes());
        }
        let mut text: Vec<u8> = command_line.bytes().collect();
        text.push(0);
        put(kernel::COMMAND_LINE, &text);
        put(lowcore::z::SUBSYSTEM_ID, &[0; 4]);
        *self.ipl.lock().held() = IplParameters { source: Some(IplSource::Direct), ..IplParameters::default() };
        self.begin(0, Psw::from_short(0x0008_0000_8000_0000 | kernel::ENTRY), true);
        Ok(())
    }

    /// Puts an image into storage, which has room for it, in pieces that stay in the host processor's cache.
    fn put_image(&self, start: u64, image: &(impl Image + ?Sized)) -> Result<(), LoadError> {
        let mut some = vec![0; 128 << 10];
        for at in (0..image.size()).step_by(some.len()) {
            let some = &mut some[..(image.size() - at).min(128 << 10) as usize];
            image.read(at, some).map_err(LoadError::unreadable)?;
            self.storage().write(Absolute(start + at), some).expect("the size was compared with storage");
        }
        Ok(())
    }

    /// Where the guest was loaded from.
    pub fn ipl_source(&self) -> Option<IplSource> {
        self.ipl.lock().held().source
    }
}
