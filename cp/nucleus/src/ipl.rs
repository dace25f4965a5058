//! IPL: a virtual machine gets a program and begins.

use crate::message::{self, Message};
use crate::spooling;
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use complex::IplError;
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
    spooling::rewind(cp, vmdbk, device);
    let loaded = machine.configuration.ipl(device, &options.loadparm, &options.parm, options.clear, !options.stop);
    let disk = cp.disks.link(&vmdbk.userid, device).is_some();
    loaded.map_err(|error| explain(&error, disk))?;
    begun(cp, vmdbk, format!("{device:04X}"), options.stop);
    Ok(())
}

/// IPL of a Linux kernel from files of the host.
pub fn from_files(
    cp: &Cp,
    vmdbk: &Arc<Vmdbk>,
    kernel: &[u8],
    initrd: &[u8],
    line: &str,
) -> Result<(), complex::LoadError> {
    vmdbk.begin_reset();
    vmdbk.machine().configuration.load_direct(kernel, initrd, line)?;
    begun(cp, vmdbk, "LINUX".into(), false);
    Ok(())
}

fn begun(cp: &Cp, vmdbk: &Arc<Vmdbk>, name: String, stop: bool) {
    vmdbk.lock().ipl = Some(name);
    vmdbk.started.store(!stop, Ordering::Release);
    cp.set_cp_read(vmdbk, stop);
    if !stop {
        vmdbk.machine().wake(vmdbk, &cp.processors);
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
