//! Accounting records, where they come from: LOGOFF and ACNT, devices and disks that are given up, DIAGNOSE X'4C', and
//! the journal of LOGON and LINK. [`Cp::keep_record`] keeps them for the virtual machine that collects them.

use crate::system::Cp;
use arch::accounting::{
    DedicatedDevice, LinkJournal, LogonJournal, MachineUse, RecordHead, TemporaryDisk, VirtualDisk, code,
};
use arch::diagnose::RealType;
use base::ebcdic::padded;
use base::layout::{U16, U32};
use base::{Held, Tod};
use consoles::terminal::Terminal;
use dasd::Kind;
use directory::SpoolKind;
use iucv::records::{KINDS, Kept};
use iucv::service::Service;
use message::calendar::Date;
use minidisk::{Ended, Foreign, Place};
use monitor::account::Charge;
use std::sync::atomic::Ordering::Relaxed;
use virtualmachine::tape;
use virtualmachine::vmdbk::Vmdbk;
use zerocopy::{Immutable, IntoBytes};

fn word(value: u64) -> U32 {
    u32::try_from(value).unwrap_or(u32::MAX).into()
}

fn half(value: u32) -> U16 {
    u16::try_from(value).unwrap_or(u16::MAX).into()
}

/// A device or terminal number in four characters.
fn number(device: u16) -> [u8; 4] {
    padded(&format!("{device:04X}"))
}

/// The last four characters of a terminal's name: `0003` of L0003.
fn terminal_number(name: &str) -> [u8; 4] {
    padded(&name[name.len().saturating_sub(4)..])
}

impl Cp {
    /// Keeps a record for the virtual machine that collects them.
    pub(crate) fn keep_record(&self, record: &(impl IntoBytes + Immutable)) {
        self.keep(Service::Account, record.as_bytes().to_vec());
    }

    /// Keeps a record of any kind. The operator and the user that should collect them are told when many wait, and when
    /// there is no room.
    pub(crate) fn keep(&self, service: Service, record: Vec<u8>) {
        let kept = self.iucv.lock().held().keep(service, record);
        let kind = KINDS.iter().find(|(_, other)| *other == service).map_or("", |(name, _)| name);
        let message = match kept {
            Kept::Yes => return,
            Kept::AtLimit(count) => message::recording_limit(kind, format!("{count:03}")),
            Kept::Lost => message::records_lost(kind),
        };
        self.notify_operator(&message.to_string());
        let collector = self.collector(service).and_then(|userid| self.vmdbk(&userid));
        if let Some(vmdbk) = collector.filter(|vmdbk| vmdbk.userid != self.config.operator) {
            vmdbk.write_message(&message, self.now());
        }
    }

    /// The user that collects records of a kind, or if none does the one that should.
    pub(crate) fn collector(&self, service: Service) -> Option<String> {
        let connected = self.iucv.lock().held().recording(service).collector;
        connected.or_else(|| {
            let named = self.config.collectors.iter().find(|(other, _)| *other == service);
            named.map(|(_, userid)| userid.clone())
        })
    }

    fn head(&self, userid: &str, account: &str) -> RecordHead {
        let date = Date::at(self.now(), &self.config.zone);
        let stamp: String = [date.short(), date.time()].concat();
        let stamp: String = stamp.chars().filter(char::is_ascii_digit).collect();
        RecordHead { userid: padded(userid), account: padded(account), stamp: padded(&stamp) }
    }

    /// The head of a record for a user, or for the one that is charged instead, and the code that it then has.
    fn charged(&self, vmdbk: &Vmdbk, code: [u8; 2]) -> (RecordHead, [u8; 2]) {
        match vmdbk.account.charge() {
            Some(charge) => (self.head(&charge.userid, &charge.account), code::charged(code)),
            None => (self.head(&vmdbk.userid, &vmdbk.user.account), code),
        }
    }

    /// What a virtual machine has used since its last record: its counts begin anew.
    pub(crate) fn account_use(&self, vmdbk: &Vmdbk, now: Tod) {
        let (since, used) = vmdbk.account.cut(now, vmdbk.logged_on, vmdbk.usage());
        let (head, code) = self.charged(vmdbk, code::USE);
        self.keep_record(&MachineUse {
            head,
            connected: word(now.micros_since(since) / 1_000_000),
            total: word(used.total_us / 1000),
            emulation: word(used.virtual_us / 1000),
            reads: word(used.reads),
            writes: word(used.writes),
            started: word(used.started),
            punched: word(used.punched),
            printed: word(used.printed),
            read: word(used.read),
            reserved_40: [0; 14],
            code,
        });
    }

    /// DIAGNOSE X'4C': a record, and another user who is charged from here on. What is printed and punched gets that
    /// user's distribution code, if one was given.
    pub(crate) fn charge(&self, vmdbk: &Vmdbk, to: Option<Charge>) {
        self.account_use(vmdbk, self.now());
        let before = vmdbk.account.charge().and_then(|charge| charge.distribution);
        let after = to.as_ref().and_then(|charge| charge.distribution.clone());
        if before != after {
            let code = after.unwrap_or_else(|| vmdbk.user.distribution.clone());
            for unit in vmdbk.units() {
                let mut unit = unitrecord::lock_unit(&unit);
                if unit.kind != SpoolKind::Reader {
                    unit.settings.dist.clone_from(&code);
                }
            }
        }
        vmdbk.account.set_charge(to);
    }

    fn account_device(&self, vmdbk: &Vmdbk, since: Tod, device: RealType, rdev: u16) {
        let (head, code) = self.charged(vmdbk, code::DEVICE);
        self.keep_record(&DedicatedDevice {
            head,
            connected: word(self.now().micros_since(since) / 1_000_000),
            device,
            rdev: number(rdev),
            reserved_28: [0; 38],
            code,
        });
    }

    /// A user has given up a tape drive.
    pub(crate) fn account_tape(&self, vmdbk: &Vmdbk, real: &tape::Real) {
        if let Some(holder) = &real.holder {
            self.account_device(vmdbk, holder.since, diagnose::devices::tape_type(real.model), real.number);
        }
    }

    /// A user has given up a disk: there is a record of a dedicated one, of a temporary one, and of a virtual one that
    /// no user has any more.
    pub(crate) fn account_disk(&self, vmdbk: &Vmdbk, ended: &Ended) {
        let (link, kind) = (&ended.link, ended.link.disk.kind());
        let device = diagnose::devices::disk_type(&kind);
        let connected = word(self.now().micros_since(link.since) / 1_000_000);
        match link.disk.place {
            Place::Whole { rdev } if link.mode.reserve => self.account_device(vmdbk, link.since, device, rdev),
            Place::Temporary { .. } => {
                let (head, code) = self.charged(vmdbk, code::TEMPORARY);
                let size = match kind {
                    Kind::Ckd { cylinders, .. } => TemporaryDisk::cylinders(cylinders),
                    Kind::Fba { blocks, .. } => TemporaryDisk::blocks(blocks),
                };
                self.keep_record(&TemporaryDisk { head, connected, device, size, reserved_28: [0; 38], code });
            }
            Place::Virtual { .. } if ended.last => {
                let Kind::Fba { blocks, .. } = kind else { return };
                let owner = &link.disk.owner;
                let account = self.user(owner).map_or(String::new(), |user| user.account.clone());
                let since = link.disk.since().unwrap_or(link.since);
                self.keep_record(&VirtualDisk {
                    head: self.head(owner, &account),
                    existed: word(self.now().micros_since(since) / 1_000_000),
                    reserved_20: [0; 4],
                    blocks: word(blocks),
                    owner: padded(owner),
                    vdev: number(link.disk.vdev),
                    reserved_34: [0; 26],
                    code: code::VIRTUAL,
                });
            }
            _ => (),
        }
    }

    /// Wrong passwords at LOGON have reached the limit.
    pub(crate) fn journal_logon(&self, terminal: &Terminal, userid: &str, (count, limit): (u32, u32)) {
        if self.journal.logon.load(Relaxed) {
            let account = self.user(userid).map_or(String::new(), |user| user.account.clone());
            self.keep_record(&LogonJournal {
                head: self.head(userid, &account),
                terminal: terminal_number(&terminal.name),
                password: padded(""),
                by: padded(""),
                count: half(count),
                limit: half(limit),
                reserved_34: [0; 26],
                code: code::LOGON,
            });
        }
    }

    /// LINK to another user's minidisk.
    pub(crate) fn journal_link(&self, vmdbk: &Vmdbk, disk: &Foreign) {
        let code = if disk.protected { code::LINK } else { code::LINK_OPEN };
        self.journal_disk(vmdbk, (&disk.owner, disk.vdev), (0, 0), code);
    }

    /// A wrong password at LINK: there is a record when they reach the limit.
    pub(crate) fn journal_wrong_link(&self, vmdbk: &Vmdbk, owner: &str, vdev: u16, (count, limit): (u32, u32)) {
        if count == limit {
            self.journal_disk(vmdbk, (owner, vdev), (count, limit), code::LINK_REFUSED);
        }
    }

    fn journal_disk(&self, vmdbk: &Vmdbk, (owner, vdev): (&str, u16), (count, limit): (u32, u32), code: [u8; 2]) {
        if self.journal.link.load(Relaxed) {
            self.keep_record(&LinkJournal {
                head: self.head(&vmdbk.userid, &vmdbk.user.account),
                terminal: terminal_number(&vmdbk.place()),
                password: padded(""),
                owner: padded(owner),
                vdev: vdev.into(),
                count: half(count),
                limit: half(limit),
                reserved_36: [0; 24],
                code,
            });
        }
    }
}
