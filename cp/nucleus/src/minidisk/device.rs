//! Links and their devices: LINK, LOGON, DEDICATE and DEFINE put the device of a minidisk into a virtual machine,
//! DETACH and LOGOFF take it away.

use super::cache::{Cached, UserCache};
use super::link::{self, Grant, Level};
use super::real::{self, Real};
use super::{Link, Linked, Minidisk, Place, Refusal, Request, State};
use crate::console::display::Tone;
use crate::console::terminal::Host;
use crate::message::{self, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::{Clock, Held};
use complex::Configuration;
use dasd::{Kind, MediaError, Volume};
use devices::dasd::{Alarm, Control, Meter, Options, Timed, Trouble};
use directory::{Access, DasdControl, DasdOptions, DeviceKind, LinkMode, LinkPassword, Mdisk, Opt, RealDevice};
use std::sync::atomic::AtomicU16;
use std::sync::{Arc, Mutex};

/// Wrong link passwords after which a user's links that need one are refused.
const WRONG_PASSWORDS: u32 = 10;

/// LINK statements that lead to LINK statements are followed so far.
const INDIRECT: usize = 8;

/// The MDISK statement that a user's device number leads to, through LINK statements if need be.
fn resolve(cp: &Cp, owner: &str, vdev: u16) -> Result<(String, u16, Mdisk, DasdOptions), Message> {
    let absent = || message::link_not_in_directory(owner, format!("{vdev:04X}"));
    let (mut at, mut number) = (owner.to_string(), vdev);
    for _ in 0..INDIRECT {
        let user = cp.user(&at).ok_or_else(|| message::not_in_directory(&at).from("LNM"))?;
        let device = user.device(number).ok_or_else(absent)?;
        match &device.kind {
            DeviceKind::Mdisk(mdisk) => return Ok((at, number, mdisk.clone(), device.dasd)),
            DeviceKind::Link { userid, vdev, .. } => {
                number = *vdev;
                if userid != "*" {
                    at.clone_from(userid);
                }
            }
            _ => return Err(absent()),
        }
    }
    Err(absent())
}

/// Whether `vmdbk` may link with this mode; the owner may, and a user who knows the password.
fn authorize(cp: &Cp, vmdbk: &Vmdbk, owner: &str, mdisk: &Mdisk, request: &Request<'_>) -> Result<(), Refusal> {
    let access = request.mode.access;
    let options = &vmdbk.user.options;
    let (stable, exclusive) = (link::is_stable(access), link::is_exclusive(access));
    let may = !stable && !exclusive || options.has(Opt::LnkExclu) || stable && options.has(Opt::LnkStabl);
    if !may && !request.trusted {
        return Err(message::not_authorised().from("LNM").into());
    }
    if request.trusted || owner == vmdbk.userid || options.has(Opt::LnkNoPas) {
        return Ok(());
    }
    let level = link::level(access);
    let password = match level {
        Level::Read => &mdisk.read,
        Level::Write => &mdisk.write,
        Level::Multiple => &mdisk.multiple,
    };
    let shown = format!("{:04X}", request.vdev);
    let wrong = |count: u32| cp.disks.state().wrong.insert(vmdbk.userid.clone(), count).is_some();
    let before = cp.disks.state().wrong.get(&vmdbk.userid).copied().unwrap_or(0);
    match (password, request.password) {
        (LinkPassword::All, _) => Ok(()),
        (LinkPassword::Nobody, _) => Err(match level {
            Level::Read => message::no_read_password(request.owner, shown),
            Level::Write => message::no_write_password(request.owner, shown),
            Level::Multiple => message::no_multiple_password(request.owner, shown),
        }
        .into()),
        _ if before >= WRONG_PASSWORDS => Err(message::link_excessive().into()),
        (_, None) => Err(Refusal::Password(level)),
        (hash, given) if hash.admits(given.map(str::to_ascii_uppercase).as_deref()) => Ok(()),
        _ => {
            wrong(before + 1);
            Err(message::link_password(request.owner, shown).into())
        }
    }
}

/// LINK, and the links of the directory.
pub fn link(cp: &Cp, vmdbk: &Arc<Vmdbk>, request: &Request<'_>) -> Result<Linked, Refusal> {
    let (owner, number, mdisk, dasd) = resolve(cp, request.owner, request.vdev)?;
    let shown = format!("{:04X}", request.vdev);
    let own = owner == vmdbk.userid;
    if matches!(mdisk.extent, directory::Extent::Temporary(_)) && !(own && request.trusted) {
        return Err(message::link_not_in_directory(request.owner, shown).into());
    }
    authorize(cp, vmdbk, &owner, &mdisk, request)?;
    if vmdbk.machine().configuration.css().find(request.as_vdev).is_some() {
        return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
    }
    let mode = LinkMode { reserve: mdisk.mode.reserve, ..request.mode };
    let dasd = if request.dasd == DasdOptions::default() { dasd } else { request.dasd };
    let (link, linked) = {
        let mut state = cp.disks.state();
        let disk = state.open(&owner, number, &mdisk)?;
        let others = state.links.others(&disk.place);
        let granted = link::grant(request.mode.access, &others);
        let as_vdev = request.as_vdev;
        let writes = granted == Grant::Write;
        // A volume that can only be read is not written by whatever mode.
        let writes = writes && !disk.direct.read_only();
        let linked = match granted {
            Grant::Nothing => return Err(others.refusal(request.owner, request.vdev).into()),
            Grant::ForcedRead => {
                let message = others.forced(as_vdev);
                Linked { code: message.number, notice: Some(message.to_string()) }
            }
            _ => Linked { code: 0, notice: others.notice(as_vdev, writes) },
        };
        let link = make(cp, &mut state, vmdbk, disk, as_vdev, !writes, mode, dasd);
        (state.links.add(link), linked)
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        cp.disks.remove(&link);
        return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
    }
    Ok(linked)
}

#[allow(clippy::too_many_arguments, reason = "it gives every field its value")]
fn make(
    cp: &Cp,
    state: &mut State,
    vmdbk: &Vmdbk,
    disk: Arc<Minidisk>,
    vdev: u16,
    read_only: bool,
    mode: LinkMode,
    dasd: DasdOptions,
) -> Link {
    let user = state
        .users
        .entry(vmdbk.userid.clone())
        .or_insert_with(|| Arc::new(UserCache::new(&vmdbk.userid, vmdbk.user.options.has(Opt::NoMdcFs))));
    let cached = match (&disk.cacheable, &disk.cache) {
        (Some((first, device)), Some(cache)) => Some(Arc::new(Cached {
            extent: disk.direct.clone(),
            first: *first,
            cache: cp.disks.cache.clone(),
            device: device.clone(),
            disk: cache.clone(),
            user: user.clone(),
            reservation: disk.reservation.clone(),
        })),
        _ => None,
    };
    let volume: Arc<dyn Volume> = match &cached {
        Some(cached) => cached.clone(),
        None => disk.direct.clone(),
    };
    let real = disk.rdev().and_then(|rdev| state.reals.iter().find(|real| real.number == rdev));
    let alarm = cp.disks.alarm.lock().held().clone();
    let options = Options { trouble: Some(trouble(cp, &disk)), ..options(&disk, real, alarm, read_only, dasd) };
    let meter = Arc::new(Meter::new(&disk.kind(), &options));
    let (userid, vdev) = (vmdbk.userid.clone(), AtomicU16::new(vdev));
    let block_io = Mutex::default();
    Link { number: 0, userid, vdev, disk, read_only, mode, dasd, volume, cached, options, meter, block_io }
}

/// How the device of a link is attached.
fn options(
    disk: &Minidisk,
    real: Option<&Real>,
    alarm: Option<Arc<dyn Alarm>>,
    read_only: bool,
    dasd: DasdOptions,
) -> Options {
    Options {
        read_only,
        reservation: disk.reservation.clone(),
        party: Some(disk.reservation.join()),
        ssid: disk.rdev().unwrap_or(0) >> 8,
        unit: disk.rdev().unwrap_or(0) as u8,
        serial: disk.volume.chars().filter(char::is_ascii_alphanumeric).collect(),
        token: disk.place.token(),
        control_unit: real.map(|real| real.control_unit),
        paths: real.map_or(1, |real| real.channels),
        cache: real.and_then(|real| real.subsystem.clone()),
        timing: real.and_then(|real| Some(Timed { device: real.timing.clone(), alarm: alarm? })),
        first: disk.first(),
        bypass_cache: disk.bypass,
        control: match dasd.control {
            DasdControl::None => Control::None,
            DasdControl::Device => Control::Device,
            DasdControl::Subsystem => Control::Subsystem,
        },
        working_allegiance: dasd.working_allegiance,
        ..Options::default()
    }
}

/// Tells the operator what is wrong with a minidisk's medium.
fn trouble(cp: &Cp, disk: &Minidisk) -> Trouble {
    let (troubles, clock): (_, Arc<dyn Clock>) = (cp.disks.troubles.clone(), cp.clock.clone());
    let host: Arc<dyn Host> = cp.host.clone();
    let (rdev, name) = (disk.rdev().map_or("VDSK".into(), |rdev| format!("{rdev:04X}")), disk.volume.clone());
    let owner = format!("{} {:04X}", disk.owner, disk.vdev);
    let unit = if matches!(disk.kind(), Kind::Fba { .. }) { "block" } else { "track" };
    Arc::new(move |at: u64, error: &MediaError| {
        troubles.report(clock.now(), &rdev, &name, &owner, &format!("{unit} {at} of {owner}"), error);
        host.work();
    })
}

/// Puts the device of a link into a configuration. False if its number is in use.
fn attach(vmdbk: &Vmdbk, configuration: &Configuration, link: &Link) -> bool {
    let mut options = link.options.clone();
    if link.disk.rdev().is_none() {
        options.unit = link.vdev() as u8;
    }
    let fast = vmdbk.lock().settings.assists();
    let device = devices::dasd::device(link.volume.clone(), options);
    let mut css = configuration.css();
    let attached = css.attach(link.vdev(), device).is_ok();
    if attached {
        css.allow_fast_path(link.vdev(), fast);
    }
    attached
}

/// The disks of the directory, at LOGON. What went wrong, or is worth knowing, is written to the console.
pub fn log_on(cp: &Cp, vmdbk: &Arc<Vmdbk>) {
    let tell = |text: &str| vmdbk.write(text, Tone::Normal, cp.now());
    for device in &vmdbk.user.devices {
        let (owner, vdev, mode) = match &device.kind {
            DeviceKind::Mdisk(mdisk) => (vmdbk.userid.as_str(), device.vdev, mdisk.mode),
            DeviceKind::Link { userid, vdev, mode } if userid == "*" => (vmdbk.userid.as_str(), *vdev, *mode),
            DeviceKind::Link { userid, vdev, mode } => (userid.as_str(), *vdev, *mode),
            DeviceKind::Dedicate { real, read_only } => {
                let rdev = match real {
                    RealDevice::Number(rdev) => Some(*rdev),
                    RealDevice::Volume(serial) => {
                        let reals = cp.disks.reals();
                        reals.iter().find(|real| real.serial == *serial).map(|real| real.number)
                    }
                };
                let Some(rdev) = rdev else {
                    let RealDevice::Volume(serial) = real else { continue };
                    let shown = format!("{:04X}", device.vdev);
                    tell(&message::link_not_mounted(&vmdbk.userid, shown, serial).to_string());
                    continue;
                };
                if crate::tape::dedicate(cp, vmdbk, rdev, device.vdev, *read_only) {
                    continue;
                }
                if let Err(message) = dedicate(cp, vmdbk, rdev, device.vdev, *read_only, device.dasd) {
                    tell(&message.to_string());
                }
                continue;
            }
            _ => continue,
        };
        let (as_vdev, dasd) = (device.vdev, device.dasd);
        let request = Request { owner, vdev, as_vdev, mode, password: None, trusted: true, dasd };
        match link(cp, vmdbk, &request) {
            Ok(linked) => linked.notice.iter().for_each(|notice| tell(notice)),
            Err(Refusal::Message(message)) => tell(&message.to_string()),
            Err(Refusal::Password(_)) => (),
        }
    }
    // The disks are there from the beginning: nothing is to be reported of their arrival.
    vmdbk.machine().configuration.css().reset();
}

/// All links of a user end, at LOGOFF.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    for link in cp.disks.links_of(&vmdbk.userid) {
        release(cp, vmdbk, &link);
    }
    let mut state = cp.disks.state();
    state.users.remove(&vmdbk.userid);
    state.wrong.remove(&vmdbk.userid);
}

/// Ends a link; its device goes.
fn release(cp: &Cp, vmdbk: &Vmdbk, link: &Arc<Link>) {
    vmdbk.machine().configuration.css().detach(link.vdev());
    vmdbk.iucv().sever_blocks(vmdbk.id, link);
    cp.disks.remove(link);
    if let (Place::Whole { rdev }, true) = (&link.disk.place, link.mode.access == DEDICATED.access) {
        let mut state = cp.disks.state();
        let free = |real: &&mut Real| {
            real.number == *rdev
                && matches!(&real.state, real::State::Attached { userid, .. } if *userid == link.userid)
        };
        if let Some(real) = state.reals.iter_mut().find(free) {
            real.state = real::State::Free;
        }
    }
}

/// DETACH of a virtual device that is a disk; `None` if there is none with this number.
pub fn detach(cp: &Cp, vmdbk: &Vmdbk, vdev: u16) -> Option<String> {
    let link = cp.disks.link(&vmdbk.userid, vdev)?;
    release(cp, vmdbk, &link);
    Some(format!("DASD {vdev:04X} DETACHED"))
}

/// The hardware was made anew (DEFINE STORAGE): its disks come with it. `old` no longer has them.
pub fn move_to_new_machine(cp: &Cp, vmdbk: &Vmdbk, old: &Configuration) {
    for link in cp.disks.links_of(&vmdbk.userid) {
        old.css().detach(link.vdev());
        attach(vmdbk, &vmdbk.machine().configuration, &link);
    }
    vmdbk.machine().configuration.css().reset();
}

/// How a real device is linked that is dedicated to one user.
const DEDICATED: LinkMode = LinkMode { access: Access::EW, reserve: true };

/// DEDICATE and ATTACH: a real disk becomes a user's virtual device.
pub fn dedicate(
    cp: &Cp,
    vmdbk: &Arc<Vmdbk>,
    rdev: u16,
    vdev: u16,
    read_only: bool,
    dasd: DasdOptions,
) -> Result<(), Message> {
    let shown = format!("{rdev:04X}");
    if vmdbk.machine().configuration.css().find(vdev).is_some() {
        return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
    }
    let link = {
        let mut state = cp.disks.state();
        // A disk that is free may be a user's minidisk as a whole (MDISK DEVNO).
        let users = state.links.to_real(rdev);
        let real = state.reals.iter_mut().find(|real| real.number == rdev);
        let real = real.ok_or_else(|| message::no_real_device(&shown))?;
        match &real.state {
            real::State::Free if users > 0 => return Err(message::volume_in_use(&shown, users)),
            real::State::Free => (),
            real::State::Attached { userid, .. } => {
                return Err(message::real_device_in_use(&shown, format!("attached to {userid}")));
            }
            real::State::Offline => return Err(message::real_device_in_use(&shown, "offline")),
            real::State::Owned | real::State::System => {
                return Err(message::real_device_in_use(&shown, "attached to SYSTEM"));
            }
        }
        let disk = Minidisk::whole(&vmdbk.userid, vdev, real);
        real.state = real::State::Attached { userid: vmdbk.userid.clone(), vdev, read_only };
        let read_only = read_only || disk.direct.read_only();
        let link = make(cp, &mut state, vmdbk, disk, vdev, read_only, DEDICATED, dasd);
        state.links.add(link)
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        release(cp, vmdbk, &link);
        return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
    }
    Ok(())
}

/// DEFINE of a temporary (`device` is a type) or virtual (`None`) disk of `count` cylinders or blocks.
pub fn define(cp: &Cp, vmdbk: &Arc<Vmdbk>, vdev: u16, device: Option<&str>, count: u32) -> Result<(), Message> {
    let defined = || message::device_defined(format!("DASD {vdev:04X}"));
    if vmdbk.machine().configuration.css().find(vdev).is_some() {
        return Err(defined());
    }
    let link = {
        let mut state = cp.disks.state();
        let disk = match device {
            Some(device) => state.temporary_disk(&vmdbk.userid, vdev, device, count)?,
            None => {
                let blocks = count.next_multiple_of(8);
                let shown = || format!("{vdev:04X}");
                state
                    .may_have(blocks.into(), Some(&vmdbk.userid))
                    .map_err(|whose| message::virtual_limit(shown(), whose))?;
                state.virtual_disk(&vmdbk.userid, vdev, blocks)
            }
        };
        let mode = LinkMode { access: Access::MW, reserve: false };
        let link = make(cp, &mut state, vmdbk, disk, vdev, false, mode, DasdOptions::default());
        state.links.add(link)
    };
    if !attach(vmdbk, &vmdbk.machine().configuration, &link) {
        cp.disks.remove(&link);
        return Err(defined());
    }
    Ok(())
}
