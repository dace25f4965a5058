//! Links and their devices: LINK, LOGON, DEDICATE and DEFINE put the device of a minidisk into a virtual machine,
//! DETACH and LOGOFF take it away.

use crate::cache::{Cached, UserCache};
use crate::link::{self, Grant, Level};
use crate::real::{self, Real};
use crate::{Disks, Ended, Foreign, Link, Linked, Minidisk, Place, Refusal, Request, State};
use base::Held;
use complex::Configuration;
use dasd::{Kind, MediaError, Volume};
use devices::dasd::{Alarm, Control, Meter, Options, Timed, Trouble};
use directory::{Access, DasdControl, DasdOptions, DeviceKind, LinkMode, LinkPassword, Mdisk, Opt, User};
use message::Message;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

/// Wrong link passwords after which a user's links that need one are refused.
const WRONG_PASSWORDS: u32 = 10;

/// LINK statements that lead to LINK statements are followed so far.
const INDIRECT: usize = 8;

/// The virtual machine that gets disks or gives them up.
pub struct Guest {
    /// Its directory entry.
    pub user: Arc<User>,
    /// The virtual machine's configuration, which gets the devices.
    pub configuration: Arc<Configuration>,
    /// Channel programs may take the fast path (SET IOASSIST).
    pub fast: bool,
}

impl Guest {
    fn userid(&self) -> &str {
        &self.user.userid
    }
}

/// The directory: the entry of a user ID.
pub type Entries<'a> = &'a dyn Fn(&str) -> Option<Arc<User>>;

/// How a real device is linked that is dedicated to one user.
const DEDICATED: LinkMode = LinkMode { access: Access::EW, reserve: true };

impl Disks {
    /// Whether `user` may link with this mode; the owner may, and a user who knows the password.
    /// Whether it took a password.
    fn authorize(&self, user: &User, owner: &str, mdisk: &Mdisk, request: &Request<'_>) -> Result<bool, Refusal> {
        let access = request.mode.access;
        let options = &user.options;
        let (stable, exclusive) = (link::is_stable(access), link::is_exclusive(access));
        let may = !stable && !exclusive || options.has(Opt::LnkExclu) || stable && options.has(Opt::LnkStabl);
        if !may && !request.trusted {
            return Err(message::not_authorised().from("LNM").into());
        }
        if request.trusted || owner == user.userid || options.has(Opt::LnkNoPas) {
            return Ok(false);
        }
        let level = link::level(access);
        let password = match level {
            Level::Read => &mdisk.read,
            Level::Write => &mdisk.write,
            Level::Multiple => &mdisk.multiple,
        };
        let shown = format!("{:04X}", request.vdev);
        let wrong = |count: u32| self.state().wrong.insert(user.userid.clone(), count).is_some();
        let before = self.state().wrong.get(&user.userid).copied().unwrap_or(0);
        match (password, request.password) {
            (LinkPassword::All, _) => Ok(false),
            (LinkPassword::Nobody, _) => Err(match level {
                Level::Read => message::no_read_password(request.owner, shown),
                Level::Write => message::no_write_password(request.owner, shown),
                Level::Multiple => message::no_multiple_password(request.owner, shown),
            }
            .into()),
            _ if before >= WRONG_PASSWORDS => Err(message::link_excessive().into()),
            (_, None) => Err(Refusal::Password(level)),
            (hash, given) if hash.admits(given.map(str::to_ascii_uppercase).as_deref()) => Ok(true),
            _ => {
                wrong(before + 1);
                Err(Refusal::Wrong { count: before + 1, limit: WRONG_PASSWORDS })
            }
        }
    }

    /// LINK, and the links of the directory.
    pub fn make_link(&self, guest: &Guest, entry: Entries<'_>, request: &Request<'_>) -> Result<Linked, Refusal> {
        let (owner, number, mdisk, dasd) = resolve(entry, request.owner, request.vdev)?;
        let shown = format!("{:04X}", request.vdev);
        let own = owner == guest.userid();
        if matches!(mdisk.extent, directory::Extent::Temporary(_)) && !(own && request.trusted) {
            return Err(message::link_not_in_directory(request.owner, shown).into());
        }
        let protected = self.authorize(&guest.user, &owner, &mdisk, request)?;
        let foreign = (!own && !request.trusted).then(|| Foreign { owner: owner.clone(), vdev: number, protected });
        if guest.configuration.css().find(request.as_vdev).is_some() {
            return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
        }
        let mode = LinkMode { reserve: mdisk.mode.reserve, ..request.mode };
        let dasd = if request.dasd == DasdOptions::default() { dasd } else { request.dasd };
        let (link, linked) = {
            let mut state = self.state();
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
                    Linked { code: message.number, notice: Some(message.to_string()), foreign }
                }
                _ => Linked { code: 0, notice: others.notice(as_vdev, writes), foreign },
            };
            let link = self.make(&mut state, guest, disk, as_vdev, !writes, mode, dasd);
            (state.links.add(link), linked)
        };
        if !attach(guest, &link) {
            self.remove(&link);
            return Err(message::link_defined(request.owner, format!("{:04X}", request.as_vdev)).into());
        }
        Ok(linked)
    }

    #[allow(clippy::too_many_arguments, reason = "it gives every field its value")]
    fn make(
        &self,
        state: &mut State,
        guest: &Guest,
        disk: Arc<Minidisk>,
        vdev: u16,
        read_only: bool,
        mode: LinkMode,
        dasd: DasdOptions,
    ) -> Link {
        let user = state
            .users
            .entry(guest.userid().to_string())
            .or_insert_with(|| Arc::new(UserCache::new(guest.userid(), guest.user.options.has(Opt::NoMdcFs))));
        let cached = match (&disk.cacheable, &disk.cache) {
            (Some((first, device)), Some(cache)) => Some(Arc::new(Cached {
                extent: disk.direct.clone(),
                first: *first,
                cache: self.cache.clone(),
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
        let alarm = self.alarm.lock().held().clone();
        let options = Options { trouble: Some(self.trouble(&disk)), ..options(&disk, real, alarm, read_only, dasd) };
        let meter = Arc::new(Meter::new(&disk.kind(), &options));
        let (userid, vdev) = (guest.userid().to_string(), AtomicU16::new(vdev));
        let (block_io, attached) = (Mutex::default(), AtomicBool::new(false));
        let since = self.clock.now();
        disk.since.get_or_init(|| since);
        Link {
            number: 0,
            userid,
            vdev,
            disk,
            since,
            read_only,
            mode,
            dasd,
            volume,
            cached,
            options,
            meter,
            block_io,
            attached,
        }
    }

    /// Tells the operator what is wrong with a minidisk's medium.
    fn trouble(&self, disk: &Minidisk) -> Trouble {
        let (troubles, clock, wake) = (self.troubles.clone(), self.clock.clone(), self.wake.clone());
        let (rdev, name) = (disk.rdev().map_or("VDSK".into(), |rdev| format!("{rdev:04X}")), disk.volume.clone());
        let owner = format!("{} {:04X}", disk.owner, disk.vdev);
        let unit = if matches!(disk.kind(), Kind::Fba { .. }) { "block" } else { "track" };
        Arc::new(move |at: u64, error: &MediaError| {
            troubles.report(clock.now(), &rdev, &name, &owner, &format!("{unit} {at} of {owner}"), error);
            wake();
        })
    }

    /// All links of a user end, at LOGOFF: these.
    pub fn log_off(&self, guest: &Guest) -> Vec<Ended> {
        let links = self.links_of(guest.userid());
        let links = links.into_iter().map(|link| self.release(guest, link)).collect();
        let mut state = self.state();
        state.users.remove(guest.userid());
        state.wrong.remove(guest.userid());
        links
    }

    /// Ends a link; its device goes.
    fn release(&self, guest: &Guest, link: Arc<Link>) -> Ended {
        guest.configuration.css().detach(link.vdev());
        let last = self.give_back(&link);
        Ended { link, last }
    }

    /// Ends a link that has no device; a real disk that it had is free. Whether it was the last.
    fn give_back(&self, link: &Arc<Link>) -> bool {
        let last = self.remove(link);
        if let (Place::Whole { rdev }, true) = (&link.disk.place, link.mode.access == DEDICATED.access) {
            let mut state = self.state();
            let free = |real: &&mut Real| {
                real.number == *rdev
                    && matches!(&real.state, real::State::Attached { userid, .. } if *userid == link.userid)
            };
            if let Some(real) = state.reals.iter_mut().find(free) {
                real.state = real::State::Free;
            }
        }
        last
    }

    /// DETACH of a virtual device that is a disk: its link, which has ended. `None` if there is none with this number.
    pub fn detach(&self, guest: &Guest, vdev: u16) -> Option<Ended> {
        let link = self.link(guest.userid(), vdev)?;
        Some(self.release(guest, link))
    }

    /// The hardware was made anew (DEFINE STORAGE): its disks come with it. `old` no longer has them.
    pub fn move_to_new_machine(&self, guest: &Guest, old: &Configuration) {
        for link in self.links_of(guest.userid()) {
            old.css().detach(link.vdev());
            attach(guest, &link);
        }
        guest.configuration.css().reset();
    }

    /// DEDICATE and ATTACH: a real disk becomes a user's virtual device.
    pub fn dedicate(
        &self,
        guest: &Guest,
        rdev: u16,
        vdev: u16,
        read_only: bool,
        dasd: DasdOptions,
    ) -> Result<(), Message> {
        let shown = format!("{rdev:04X}");
        if guest.configuration.css().find(vdev).is_some() {
            return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
        }
        let link = {
            let mut state = self.state();
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
            let disk = Minidisk::whole(guest.userid(), vdev, real);
            real.state = real::State::Attached { userid: guest.userid().to_string(), vdev, read_only };
            let read_only = read_only || disk.direct.read_only();
            let link = self.make(&mut state, guest, disk, vdev, read_only, DEDICATED, dasd);
            state.links.add(link)
        };
        if !attach(guest, &link) {
            self.give_back(&link);
            return Err(message::device_defined(format!("DASD {vdev:04X}")).from("ATS"));
        }
        Ok(())
    }

    /// DEFINE of a temporary (`device` is a type) or virtual (`None`) disk of `count` cylinders or blocks.
    pub fn define(&self, guest: &Guest, vdev: u16, device: Option<&str>, count: u32) -> Result<(), Message> {
        let defined = || message::device_defined(format!("DASD {vdev:04X}"));
        if guest.configuration.css().find(vdev).is_some() {
            return Err(defined());
        }
        let link = {
            let mut state = self.state();
            let disk = match device {
                Some(device) => state.temporary_disk(guest.userid(), vdev, device, count)?,
                None => {
                    let blocks = count.next_multiple_of(8);
                    let shown = || format!("{vdev:04X}");
                    state
                        .may_have(blocks.into(), Some(guest.userid()))
                        .map_err(|whose| message::virtual_limit(shown(), whose))?;
                    state.virtual_disk(guest.userid(), vdev, blocks)
                }
            };
            let mode = LinkMode { access: Access::MW, reserve: false };
            let link = self.make(&mut state, guest, disk, vdev, false, mode, DasdOptions::default());
            state.links.add(link)
        };
        if !attach(guest, &link) {
            self.remove(&link);
            return Err(defined());
        }
        Ok(())
    }
}

/// The MDISK statement that a user's device number leads to, through LINK statements if need be.
fn resolve(entry: Entries<'_>, owner: &str, vdev: u16) -> Result<(String, u16, Mdisk, DasdOptions), Message> {
    let absent = || message::link_not_in_directory(owner, format!("{vdev:04X}"));
    let (mut at, mut number) = (owner.to_string(), vdev);
    for _ in 0..INDIRECT {
        let user = entry(&at).ok_or_else(|| message::not_in_directory(&at).from("LNM"))?;
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

/// Puts the device of a link into a configuration. False if its number is in use.
fn attach(guest: &Guest, link: &Link) -> bool {
    let mut options = link.options.clone();
    if link.disk.rdev().is_none() {
        options.unit = link.vdev() as u8;
    }
    let device = devices::dasd::device(link.volume.clone(), options);
    let mut css = guest.configuration.css();
    let attached = css.attach(link.vdev(), device).is_ok();
    if attached {
        css.allow_fast_path(link.vdev(), guest.fast);
        link.attached.store(true, Ordering::Release);
    }
    attached
}
