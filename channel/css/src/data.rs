//! The data of one command: moves bytes between a device and the storage areas that CCWs describe.
//!
//! Data chaining, indirect data addresses, keys, SKIP and read backward happen here; a device sees a stream of bytes.
//! CCWs and address words are fetched when their first byte is wanted, never before: a program may overlay them by data
//! it has just read (IPL does).

use crate::ccw::{self, Rules};
use crate::protection::{may_fetch, may_store};
use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Orb, ccw_flag, orb_flag, subchannel_status};
use storage::Storage;

/// The data of the command that a device is performing.
pub struct Data<'a> {
    storage: &'a Storage,
    transfer: &'a mut Transfer,
}

impl<'a> Data<'a> {
    pub(crate) fn new(storage: &'a Storage, transfer: &'a mut Transfer) -> Data<'a> {
        Data { storage, transfer }
    }

    /// Bytes left in the current CCW; data chaining may add to them.
    pub fn count(&self) -> u32 {
        self.transfer.residual
    }

    /// Input: puts `bytes` into the program's storage, in the order of transfer. Returns how many were taken; if fewer
    /// than given, the record is longer than the areas, which shows as incorrect length unless suppressed.
    pub fn store(&mut self, bytes: &[u8]) -> usize {
        self.transfer.requested = true;
        let mut done = 0;
        while done < bytes.len() {
            let Some(area) = self.transfer.area(self.storage, bytes.len() - done, Direction::Input) else { break };
            let piece = &bytes[done..done + area.len];
            if let Some(at) = area.at {
                let stored = if self.transfer.backward {
                    let reversed: Vec<u8> = piece.iter().rev().copied().collect();
                    self.storage.write(at, &reversed)
                } else {
                    self.storage.write(at, piece)
                };
                stored.expect("areas were checked to be available");
            }
            done += area.len;
        }
        self.transfer.long |= done < bytes.len();
        done
    }

    /// Output: fills `bytes` from the program's storage, for a device that needs all of them. Returns how many there
    /// were; if fewer, it shows as incorrect length unless suppressed.
    pub fn fetch(&mut self, bytes: &mut [u8]) -> usize {
        let done = self.take(bytes);
        self.transfer.long |= done < bytes.len();
        done
    }

    /// Output: as [`Data::fetch`], for a device that is content with less.
    pub fn fetch_some(&mut self, bytes: &mut [u8]) -> usize {
        self.take(bytes)
    }

    /// Output: what the program has, at most `limit` bytes, for a device that is content with less.
    pub fn fetch_up_to(&mut self, limit: usize) -> Vec<u8> {
        let mut all = Vec::new();
        let mut piece = [0; 1024];
        while all.len() < limit {
            let wanted = piece.len().min(limit - all.len());
            let n = self.take(&mut piece[..wanted]);
            all.extend_from_slice(&piece[..n]);
            if n < wanted {
                break;
            }
        }
        all
    }

    /// Input of a command that also takes something from the areas: what is there now. It is stored over afterwards, so
    /// nothing is used up by this. Returns how many bytes there were.
    pub fn look(&self, bytes: &mut [u8]) -> usize {
        Data::new(self.storage, &mut self.transfer.clone()).take(bytes)
    }

    /// Whether these are addresses of the program's storage, for commands that carry addresses.
    pub fn is_storage(&self, address: u64, length: u64) -> bool {
        self.storage.contains(Absolute(address), length)
    }

    fn take(&mut self, bytes: &mut [u8]) -> usize {
        let mut done = 0;
        while done < bytes.len() {
            let Some(area) = self.transfer.area(self.storage, bytes.len() - done, Direction::Output) else { break };
            let at = area.at.expect("output areas have addresses");
            self.storage.read(at, &mut bytes[done..done + area.len]).expect("areas were checked to be available");
            done += area.len;
        }
        done
    }

    /// Whether no check has ended the transfer. A device that changes something lasting should look before it does.
    pub fn ok(&self) -> bool {
        self.transfer.check == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
}

/// A piece of storage within one page, or of skipped input (`at` is `None`).
struct Area {
    at: Option<Absolute>,
    len: usize,
}

/// The state of a data transfer: the CCW in control and how far it got.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    rules: Rules,
    /// The CCW in control.
    pub ccw: Ccw,
    /// Its address.
    pub at: u32,
    /// Count not yet used.
    pub residual: u32,
    /// Bytes moved or skipped by all CCWs of the command.
    pub moved: u32,
    /// Whether the device asked for any byte; if not, the operation was immediate.
    pub requested: bool,
    /// Whether the device had or wanted more than the areas.
    pub long: bool,
    /// Subchannel status that ended the transfer.
    pub check: u8,
    /// Whether a CCW fetched by data chaining asked for a program-controlled interruption.
    pub pci: bool,
    backward: bool,
    /// Next data byte, or next address word if `ccw` has IDA. Wider than addresses, to see them run over.
    position: i64,
    /// With IDA: next data byte and bytes left of the current block.
    block: (u64, u64),
    first_idaw: bool,
}

impl Transfer {
    pub(crate) fn new(rules: Rules, at: u32, ccw: Ccw) -> Transfer {
        Transfer {
            rules,
            ccw,
            at,
            residual: u32::from(ccw.count),
            moved: 0,
            requested: false,
            long: false,
            check: 0,
            pci: false,
            backward: ccw.command & 0x0f == 0x0c,
            position: i64::from(ccw.address),
            block: (0, 0),
            first_idaw: true,
        }
    }

    /// Whether incorrect length is to be indicated (POP, chapter 16, "Incorrect length").
    pub(crate) fn wrong_length(&self, orb: &Orb, device: DeviceStatus) -> bool {
        let chain_data = self.ccw.has(ccw_flag::CHAIN_DATA);
        let suppressed = self.ccw.has(ccw_flag::SUPPRESS_LENGTH) && !chain_data;
        if self.requested {
            return (self.residual != 0 || self.long || chain_data) && !suppressed;
        }
        // An immediate operation, or a command that was rejected before any data.
        let checked = orb.format() == CcwFormat::One && !orb.has(orb_flag::SUPPRESS_LENGTH);
        checked && self.ccw.count != 0 && !suppressed && !device.has(DeviceStatus::UNIT_CHECK)
    }

    /// The next piece of at most `want` bytes; `None` if the areas are used up or a check ended the transfer.
    fn area(&mut self, storage: &Storage, want: usize, direction: Direction) -> Option<Area> {
        self.requested = true;
        if self.check != 0 {
            return None;
        }
        while self.residual == 0 {
            if !self.ccw.has(ccw_flag::CHAIN_DATA) {
                return None;
            }
            self.chain_data(storage);
            if self.check != 0 {
                return None;
            }
        }
        let want = (want as u64).min(u64::from(self.residual));
        if direction == Direction::Input && self.ccw.has(ccw_flag::SKIP) {
            self.residual -= want as u32;
            self.moved = self.moved.saturating_add(want as u32);
            return Some(Area { at: None, len: want as usize });
        }
        let found = if self.ccw.has(ccw_flag::IDA) { self.indirect(storage, want) } else { self.direct(want) };
        let checked = found.and_then(|(at, len)| {
            let allowed = match direction {
                Direction::Input => may_store(storage, self.rules.key, at),
                Direction::Output => may_fetch(storage, self.rules.key, at),
            };
            allowed.map(|()| (at, len))
        });
        match checked {
            Ok((at, len)) => {
                self.residual -= len as u32;
                self.moved = self.moved.saturating_add(len as u32);
                Some(Area { at: Some(Absolute(at)), len: len as usize })
            }
            Err(check) => {
                self.check |= check;
                None
            }
        }
    }

    /// Takes up to `want` bytes at the data address, within one page. Returns their lowest address.
    fn direct(&mut self, want: u64) -> Result<(u64, u64), u8> {
        if self.position < 0 || self.position > self.rules.highest_address() {
            return Err(subchannel_status::PROGRAM_CHECK);
        }
        let (at, len) = piece(self.position as u64, want, arch::PAGE, self.backward);
        self.position += if self.backward { -(len as i64) } else { len as i64 };
        Ok((at, len))
    }

    fn indirect(&mut self, storage: &Storage, want: u64) -> Result<(u64, u64), u8> {
        if self.block.1 == 0 {
            self.next_block(storage)?;
        }
        let (address, left) = self.block;
        let want = want.min(left);
        let at = if self.backward { address + 1 - want } else { address };
        self.block = (if self.backward { address.wrapping_sub(want) } else { address + want }, left - want);
        Ok((at, want))
    }

    /// Fetches the next indirect-data-address word.
    fn next_block(&mut self, storage: &Storage) -> Result<(), u8> {
        const INVALID: u8 = subchannel_status::PROGRAM_CHECK;
        let wide = self.rules.has(orb_flag::IDAW_FORMAT_2);
        let width = if wide { 8 } else { 4 };
        let block = if wide && !self.rules.has(orb_flag::IDAW_2K) { 4096 } else { 2048 };
        if self.position % width != 0 || self.position > self.rules.highest_address() {
            return Err(INVALID);
        }
        let list = self.position as u64;
        may_fetch(storage, self.rules.key, list)?;
        let address =
            if wide { storage.read_u64(Absolute(list)) } else { storage.read_u32(Absolute(list)).map(u64::from) };
        let address = address.map_err(|_| INVALID)?;
        let start = if self.backward { block - 1 } else { 0 };
        let misplaced = !self.first_idaw && address % block != start;
        if misplaced || !wide && address > 0x7fff_ffff || storage.key(Absolute(address)).is_err() {
            return Err(INVALID);
        }
        self.position += width;
        self.first_idaw = false;
        self.block = (address, piece(address, block, block, self.backward).1);
        Ok(())
    }

    /// The current CCW is used up and has CD: the next one describes where data goes on.
    fn chain_data(&mut self, storage: &Storage) {
        match ccw::fetch(storage, &self.rules, self.at.wrapping_add(8), false) {
            Ok((at, next)) => {
                self.at = at;
                let suspend = next.has(ccw_flag::SUSPEND);
                if next.count == 0 || suspend || ccw::check_flags(&self.rules, &next).is_err() {
                    self.check |= subchannel_status::PROGRAM_CHECK;
                    return;
                }
                self.ccw = Ccw { command: self.ccw.command, ..next };
                self.residual = u32::from(next.count);
                self.position = i64::from(next.address);
                self.block = (0, 0);
                self.first_idaw = true;
                self.pci |= next.has(ccw_flag::PCI);
            }
            Err(wrong) => {
                self.at = wrong.at;
                self.check |= wrong.status;
            }
        }
    }
}

/// How many of `want` bytes lie in the same block of `size` bytes as `address`, and the lowest of them, going up or
/// down.
fn piece(address: u64, want: u64, size: u64, down: bool) -> (u64, u64) {
    if down {
        let len = want.min(address % size + 1);
        (address + 1 - len, len)
    } else {
        (address, want.min(size - address % size))
    }
}
