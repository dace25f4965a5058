//! IPL: a virtual machine gets a program and begins.

use super::query::settings;
use super::query::virtual_machine::amount;
use super::{Issuer, Response};
use crate::system::Cp;
use base::ebcdic;
use complex::checkpoint::Time;
use complex::{Image, IplError, SavedCpu};
use cpu::Architecture;
use message::Message;
use message::words::Words;
use realstorage::sharing::admits;
use spool::After;
use spool::saved::Kind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use unitrecord::lock_unit;
use virtualmachine::suspended::Checkpoint;
use virtualmachine::vmdbk::Vmdbk;

/// `Ipl vdev|system [CLEAR|NOCLEAR] [STOP] [LOADparm text] [PARM text]`
///
/// Loads a program from a virtual device, or a saved system (QUERY NSS lists them), and starts it: the virtual machine
/// is reset, with CLEAR its storage is zeroed. From the reader (IPL 00C) the first spool file is the program. A saved
/// system begins where it was when it was saved. STOP leaves it loaded and stopped: BEGIN starts it. LOADPARM is up to
/// eight characters and PARM, which comes last, up to 64, for the program to look at.
pub fn ipl(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let from = words.need()?;
    let mut options = Options::default();
    while let Some(word) = words.next() {
        match () {
            () if word.is("CLEAR") => options.clear = true,
            () if word.is("NOCLEAR") => options.clear = false,
            () if word.is("STOP") => options.stop = true,
            () if word.is("ATTN") => (),
            () if word.is("LOADparm") => {
                let parameter = words.need()?;
                if parameter.0.len() > 8 {
                    return Err(parameter.invalid());
                }
                options.loadparm = parameter.upper();
            }
            () if word.is("PARM") || word.is("PARMregs") => {
                options.parm = words.rest().to_string();
                break;
            }
            () => return Err(message::invalid_option(word.upper())),
        }
    }
    match from.device() {
        Some(device) => from_device(cp, &issuer.vmdbk, device, &options)?,
        None => from_saved(cp, &issuer.vmdbk, &from.upper(), &options)?,
    }
    Ok(Response::none())
}

/// What IPL says besides the device.
#[derive(Clone, Default)]
pub struct Options {
    /// CLEAR: storage is cleared first.
    pub clear: bool,
    /// The program is loaded and the virtual machine is left stopped.
    pub stop: bool,
    /// LOADPARM, in capitals; empty: none was named.
    pub loadparm: String,
    /// PARM: what the program is given; empty: none was named.
    pub parm: String,
}

/// IPL from a device.
pub fn from_device(cp: &Cp, vmdbk: &Arc<Vmdbk>, device: u16, options: &Options) -> Result<(), Message> {
    let machine = vmdbk.machine();
    let unit = vmdbk.unit(device);
    if unit.as_ref().is_some_and(|unit| lock_unit(unit).kind != directory::SpoolKind::Reader) {
        return Err(message::ipl_device_type(format!("{device:04X}")));
    }
    vmdbk.begin_reset();
    vmdbk.release_segments();
    // IPL begins with the first card, also if an earlier IPL was given up in the middle of a file.
    if let Some(unit) = &unit {
        lock_unit(unit).close_input(&cp.spool, Some(After::Hold));
    }
    let loaded = machine.configuration.ipl(device, &options.loadparm, &options.parm, options.clear, !options.stop);
    let disk = cp.disks.link(&vmdbk.userid, device).is_some();
    loaded.map_err(|error| explain(&error, disk))?;
    begun(cp, vmdbk, format!("{device:04X}"), options.stop);
    Ok(())
}

/// IPL of a saved system.
pub fn from_saved(cp: &Cp, vmdbk: &Arc<Vmdbk>, name: &str, options: &Options) -> Result<(), Message> {
    let file = cp.saved.find(name).filter(|file| file.kind == Kind::System);
    let file = file.ok_or_else(|| message::no_saved_system(name))?;
    if !admits(&vmdbk.user.namesave, &file) {
        return Err(message::saved_restricted(name));
    }
    let machine = vmdbk.machine();
    let configuration = &machine.configuration;
    if configuration.storage().size() < file.minimum {
        return Err(message::saved_minimum(name, amount(file.minimum)));
    }
    let damaged = || message::spool_error(spool::Error::Damaged(name.into()));
    let mut cpu = SavedCpu::from_bytes(&file.cpu).ok_or_else(damaged)?;
    let mode = vmdbk.lock().machine;
    let is_370 = mode == directory::Machine::S370;
    let named = file.modes.iter().any(|named| named == settings::machine_name(mode));
    if !file.modes.is_empty() && !named || (cpu.architecture == Architecture::S370) != is_370 {
        let modes = match (file.modes.is_empty(), is_370) {
            (false, _) => file.modes.join(" "),
            (true, true) => "ESA".into(),
            (true, false) => "370".into(),
        };
        return Err(message::saved_mode(name, modes));
    }
    if let Some((first, last)) = file.parm_registers {
        let mut text = ebcdic::from_str(&options.parm);
        text.resize(16 * 4, 0);
        for (register, word) in (first..=last).zip(text.as_chunks().0) {
            cpu.general[usize::from(register)] = u32::from_be_bytes(*word).into();
        }
    }
    let used = cp.saved.begin_use(&vmdbk.userid, file, false).map_err(|error| super::saved::explain(&error))?;
    vmdbk.begin_reset();
    vmdbk.release_segments();
    configuration.reset(options.clear);
    used.attach(configuration).map_err(message::spool_error)?;
    vmdbk.segments().push(used);
    if !configuration.ipl_saved(&cpu, &options.parm, !options.stop) {
        return Err(damaged());
    }
    begun(cp, vmdbk, name.into(), options.stop);
    Ok(())
}

/// IPL of a Linux kernel from files of the host.
pub fn from_files(
    cp: &Cp,
    vmdbk: &Arc<Vmdbk>,
    kernel: &(impl Image + ?Sized),
    initrd: &(impl Image + ?Sized),
    line: &str,
) -> Result<(), complex::LoadError> {
    vmdbk.begin_reset();
    vmdbk.release_segments();
    vmdbk.machine().configuration.load_direct(kernel, initrd, line)?;
    begun(cp, vmdbk, "LINUX".into(), false);
    Ok(())
}

/// A virtual machine goes on from a checkpoint, whose pages are in its storage.
pub fn from_checkpoint(
    cp: &Cp,
    vmdbk: &Arc<Vmdbk>,
    from: &Checkpoint,
    clock: Time,
) -> Result<(), complex::CheckpointError> {
    vmdbk.begin_reset();
    vmdbk.resume(from, clock)?;
    begun(cp, vmdbk, "CHECKPOINT".into(), false);
    Ok(())
}

fn begun(cp: &Cp, vmdbk: &Arc<Vmdbk>, name: String, stop: bool) {
    vmdbk.lock().ipl = Some(name);
    vmdbk.started.store(!stop, Ordering::Release);
    cp.set_cp_read(vmdbk, stop);
    if !stop {
        cp.processors.wake(vmdbk);
    }
}

fn explain(error: &IplError, disk: bool) -> Message {
    match error {
        IplError::NoDevice(device) => message::device_absent(format!("{device:04X}")).from("VMI"),
        IplError::NotReady(device) => message::ipl_unit_record(format!("{device:04X}")),
        IplError::Failed(device, irb) if !disk && irb.scsw.device.0 & 0x02 != 0 => {
            message::ipl_unit_record(format!("{device:04X}"))
        }
        IplError::Failed(device, _) => message::ipl_io_error(format!("{device:04X}")),
        IplError::InvalidPsw(_) => message::ipl_psw(),
    }
}
