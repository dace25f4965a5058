//! IPL: a virtual machine gets a program and begins.

use crate::command::query::{settings, virtual_machine::amount};
use crate::message::{self, Message};
use crate::saved;
use crate::spooling;
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::ebcdic;
use complex::{Image, IplError};
use cpu::Architecture;
use spool::saved::Kind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What IPL says besides the device.
#[derive(Clone, Default)]
pub struct Options {
    pub clear: bool,
    /// The program is loaded and the virtual machine is left stopped.
    pub stop: bool,
    pub loadparm: String,
    pub parm: String,
}

/// IPL from a device.
pub fn from_device(cp: &Cp, vmdbk: &Arc<Vmdbk>, device: u16, options: &Options) -> Result<(), Message> {
    let machine = vmdbk.machine();
    let unit = vmdbk.unit(device);
    if unit.is_some_and(|unit| spooling::lock_unit(&unit).kind != directory::SpoolKind::Reader) {
        return Err(message::ipl_device_type(format!("{device:04X}")));
    }
    vmdbk.begin_reset();
    saved::release_all(vmdbk);
    spooling::rewind(cp, vmdbk, device);
    let loaded = machine.configuration.ipl(device, &options.loadparm, &options.parm, options.clear, !options.stop);
    let disk = cp.disks.link(&vmdbk.userid, device).is_some();
    loaded.map_err(|error| explain(&error, disk))?;
    begun(cp, vmdbk, format!("{device:04X}"), options.stop);
    Ok(())
}

/// IPL of a saved system.
pub fn from_saved(cp: &Cp, vmdbk: &Arc<Vmdbk>, name: &str, options: &Options) -> Result<(), Message> {
    let file = saved::find(cp, name).filter(|file| file.kind == Kind::System);
    let file = file.ok_or_else(|| message::no_saved_system(name))?;
    if !saved::admits(vmdbk, &file) {
        return Err(message::saved_restricted(name));
    }
    let machine = vmdbk.machine();
    let configuration = &machine.configuration;
    if configuration.storage().size() < file.minimum {
        return Err(message::saved_minimum(name, amount(file.minimum)));
    }
    let damaged = || message::spool_error(spool::Error::Damaged(name.into()));
    let mut cpu = saved::from_bytes(&file.cpu).ok_or_else(damaged)?;
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
    let used = saved::begin_use(cp, vmdbk, file, false)?;
    vmdbk.begin_reset();
    saved::release_all(vmdbk);
    configuration.reset(options.clear);
    used.attach(configuration)?;
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
    saved::release_all(vmdbk);
    vmdbk.machine().configuration.load_direct(kernel, initrd, line)?;
    begun(cp, vmdbk, "LINUX".into(), false);
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
