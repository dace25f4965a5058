//! Reading, searching and writing records of a count-key-data disk (IBM 3990 Reference, "Command descriptions").
//!
//! The commands are those of count key data; in a domain of LOCATE RECORD they take the records that were announced,
//! and multitrack ones go on over the end of a cylinder.

use super::domain::{Operation, Orientation, Write};
use super::eckd::{Eckd, Ended, Found};
use super::head::Place;
use super::sense::Fault;
use arch::dasd::HomeAddress;
use arch::io::{DeviceStatus, ccw_flag};
use css::{Command, Data};
use dasd::model::track::{END, HOME_ADDRESS};
use dasd::{Count, Kind, Track};
use zerocopy::{FromBytes, IntoBytes};

/// Tracks without a record that one command passes over at most.
const EMPTY_TRACKS: u32 = 256;

impl Eckd {
    /// A reading command is allowed here, if it finds its record.
    fn may_read(&self) -> Result<(), Fault> {
        match &self.program.domain {
            Some(domain) if domain.suffix && domain.left == 1 => Ok(()),
            Some(domain) if domain.left == 0 || !domain.operation.reads() => Err(Fault::SEQUENCE),
            _ => Ok(()),
        }
    }

    fn may_write(&self, write: Write) -> Result<(), Fault> {
        if self.options.read_only || self.head.read_only() {
            return Err(Fault::WriteInhibited);
        }
        if !self.program.mask.allows(write) {
            return Err(Fault::FileProtected);
        }
        match &self.program.domain {
            Some(domain) if domain.left == 0 || !domain.operation.allows(write, domain.fresh) => Err(Fault::SEQUENCE),
            _ => Ok(()),
        }
    }

    /// A search is no part of a domain.
    fn may_search(&mut self) -> Result<(), Fault> {
        match &self.program.domain {
            Some(domain) if domain.left != 0 && domain.operation != Operation::Orient => Err(Fault::SEQUENCE),
            _ => {
                self.program.domain = None;
                Ok(())
            }
        }
    }

    /// A record (or track) was transferred.
    fn transferred(&mut self) {
        self.program.turns = 0;
        if let Some(domain) = &mut self.program.domain {
            domain.left = domain.left.saturating_sub(1);
            domain.fresh = false;
        }
    }

    /// The next record to pass the head, record 0 only if `zero`; with `multitrack`, on later tracks too. Where records
    /// are taken as they come, the first one follows the last.
    fn next(&mut self, multitrack: bool, zero: bool) -> Result<usize, Fault> {
        let mut passed = 0;
        loop {
            match self.head.following()? {
                Some(HOME_ADDRESS) if !zero => self.head.place = Place::Data(HOME_ADDRESS),
                Some(at) => return Ok(at),
                None if self.program.domain.is_some_and(|domain| domain.operation.any()) => {
                    passed += 1;
                    if passed > 1 {
                        return Err(Fault::NoRecordFound);
                    }
                    self.head.place = Place::Index;
                }
                None if multitrack => {
                    passed += 1;
                    if passed > EMPTY_TRACKS {
                        return Err(Fault::NoRecordFound);
                    }
                    self.switch()?;
                }
                None => self.index()?,
            }
        }
    }

    /// The index passes, on the same track.
    fn index(&mut self) -> Result<(), Fault> {
        self.program.turns += 1;
        if self.program.turns >= 2 || self.program.domain.is_some() {
            return Err(Fault::NoRecordFound);
        }
        self.head.place = Place::Index;
        Ok(())
    }

    /// A multitrack command goes on with the next head.
    fn switch(&mut self) -> Result<(), Fault> {
        if !self.program.mask.allows_seek_head() {
            return Err(Fault::FileProtected);
        }
        self.head.advance(self.program.domain.is_none())
    }

    pub(super) fn read_ipl(&mut self, data: &mut Data<'_>) -> Ended {
        self.head.seek(0)?;
        self.program.domain = None;
        let at = self.next(false, false)?;
        self.give(at, false, false, data, Found::Nothing)
    }

    pub(super) fn read_data(&mut self, data: &mut Data<'_>, multitrack: bool, found: Found) -> Ended {
        self.may_read()?;
        let at = match self.head.place {
            Place::Count(at) | Place::Key(at) => at,
            _ => self.next(multitrack, false)?,
        };
        self.give(at, false, false, data, found)
    }

    pub(super) fn read_key_and_data(&mut self, data: &mut Data<'_>, multitrack: bool, found: Found) -> Ended {
        self.may_read()?;
        let at = match self.head.place {
            Place::Count(at) => at,
            _ => self.next(multitrack, false)?,
        };
        self.give(at, false, true, data, found)
    }

    pub(super) fn read_ckd(&mut self, data: &mut Data<'_>, multitrack: bool) -> Ended {
        self.may_read()?;
        let at = self.next(multitrack, false)?;
        let status = self.give(at, true, true, data, Found::Nothing)?;
        // A command that reads whole records takes an end-of-file mark as any other record.
        Ok(DeviceStatus(status.0 & !DeviceStatus::UNIT_EXCEPTION.0))
    }

    pub(super) fn read_r0(&mut self, data: &mut Data<'_>, multitrack: bool) -> Ended {
        self.may_read()?;
        if multitrack && !matches!(self.head.place, Place::Index | Place::Home) {
            self.switch()?;
        }
        self.give(HOME_ADDRESS, true, true, data, Found::Nothing)
    }

    /// Gives count, key and data of a record to the program, as far as they are wanted.
    fn give(&mut self, at: usize, count: bool, key: bool, data: &mut Data<'_>, found: Found) -> Ended {
        let alone = if count || key { None } else { self.head.read_alone(at)? };
        let (from, end, empty) = if let Some(bytes) = alone {
            data.store(&bytes[Count::LEN..]);
            (at + Count::LEN, at + bytes.len(), false)
        } else {
            let record = self.head.record(at)?;
            let from = match (count, key) {
                (true, _) => at,
                (false, true) => at + Count::LEN,
                (false, false) => at + Count::LEN + record.key.len(),
            };
            let (end, empty) = (record.end(), record.data.is_empty());
            data.store(&self.head.image()?.image()[from..end]);
            (from, end, empty)
        };
        self.head.transfer(from, end - from);
        self.head.place = Place::Data(at);
        self.transferred();
        if found != Found::Nothing {
            self.program.found = Found::Passed;
        }
        Ok(if empty { DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION } else { DeviceStatus::ENDED })
    }

    pub(super) fn read_count(&mut self, data: &mut Data<'_>, multitrack: bool) -> Ended {
        self.may_read()?;
        let at = self.next(multitrack, false)?;
        let count = self.head.record(at)?.count.encode();
        data.store(&count);
        self.head.place = Place::Count(at);
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    /// Space Count: a count area passes unread; key and data length may be given instead and are not needed.
    pub(super) fn space_count(&mut self, data: &mut Data<'_>) -> Ended {
        self.may_search()?;
        data.fetch_up_to(3);
        let at = self.next(false, false)?;
        self.head.place = Place::Count(at);
        self.program.turns = 0;
        Ok(DeviceStatus::ENDED)
    }

    pub(super) fn read_home_address(&mut self, data: &mut Data<'_>, multitrack: bool) -> Ended {
        self.may_read()?;
        if multitrack && self.head.place != Place::Index {
            self.switch()?;
        }
        self.head.image()?;
        data.store(HomeAddress { flags: 0, track: self.head.home() }.as_bytes());
        self.head.place = Place::Home;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    /// A whole-track command of a domain takes the first track, then one after the other.
    fn next_track(&mut self) -> Result<(), Fault> {
        let next = self.program.domain.as_mut().filter(|domain| !domain.fresh);
        let distance = next.map_or(0, |domain| domain.step());
        (0..distance).try_for_each(|_| self.head.advance(false))
    }

    /// Read Track: count, key and data of all records from record 0 on, and eight bytes of X'FF'.
    pub(super) fn read_track(&mut self, data: &mut Data<'_>) -> Ended {
        self.may_read()?;
        self.next_track()?;
        let from = match self.head.place {
            Place::Index | Place::Home => HOME_ADDRESS,
            _ => self.head.behind()?,
        };
        let length = self.head.image()?.image().len() - from;
        data.store(&self.head.image()?.image()[from..]);
        self.head.transfer(from, length);
        self.head.place = Place::Index;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    /// Read Multiple Count, Key, and Data: the records that are left on the track, without record 0.
    pub(super) fn read_multiple(&mut self, data: &mut Data<'_>) -> Ended {
        self.may_read()?;
        let at = self.next(false, false)?;
        let image = self.head.image()?.image();
        let length = image.len() - END.len() - at;
        data.store(&image[at..at + length]);
        self.head.transfer(at, length);
        self.head.place = Place::Index;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    /// The first of the records of a track whose data areas go over as one, and how many bytes of it do: all, or those
    /// of the CCW, or on the last track those that the domain says.
    fn track_data(&mut self, command: Command) -> Result<(usize, usize), Fault> {
        let domain = self.program.domain.ok_or(Fault::SEQUENCE)?;
        let length = match domain.operation {
            Operation::ReadTracks if domain.left == 1 => domain.length,
            Operation::ReadTracks | Operation::WriteTrackData => None,
            _ => return Err(Fault::SEQUENCE),
        };
        self.next_track()?;
        let at = match self.head.place {
            Place::Count(at) => at,
            _ => self.next(false, false)?,
        };
        let image = self.head.image()?;
        let records = image.records().filter(|record| record.at >= at);
        let mut bytes: usize = records.map(|record| record.data.len()).sum();
        if command.flags & ccw_flag::CHAIN_DATA == 0 {
            bytes = bytes.min(command.count.into());
        }
        Ok((at, bytes.min(length.map_or(usize::MAX, usize::from))))
    }

    /// The record that Read or Write Track Data is about, and how many bytes of it, if that is one record, found
    /// without its track: as many as the CCW wants, or those that the domain says.
    fn one_of_track_data(&mut self, command: Command) -> Option<(usize, usize)> {
        let domain = self.program.domain.filter(|domain| domain.fresh && domain.left == 1)?;
        let Place::Count(at) = self.head.place else { return None };
        let there = self.head.length_alone(at)?;
        let counted = if command.flags & ccw_flag::CHAIN_DATA == 0 { command.count.into() } else { usize::MAX };
        let wanted = match domain.operation {
            Operation::ReadTracks => counted.min(domain.length?.into()),
            Operation::WriteTrackData => counted,
            _ => return None,
        };
        (wanted <= there).then_some((at, wanted))
    }

    /// Read Track Data: the data areas of the records that are left on the track.
    pub(super) fn read_track_data(&mut self, command: Command, data: &mut Data<'_>) -> Ended {
        self.may_read()?;
        if let Some((at, length)) = self.one_of_track_data(command)
            && let Some(bytes) = self.head.read_alone(at)?
        {
            data.store(&bytes[Count::LEN..][..length]);
            self.head.transfer(at, length);
            self.head.place = Place::Index;
            self.transferred();
            return Ok(DeviceStatus::ENDED);
        }
        let (at, mut left) = self.track_data(command)?;
        let whole = left;
        for record in self.head.image()?.records().filter(|record| record.at >= at) {
            let piece = &record.data[..record.data.len().min(left)];
            if !piece.is_empty() && data.store(piece) < piece.len() {
                break;
            }
            left -= piece.len();
        }
        self.head.transfer(at, whole - left);
        self.head.place = Place::Index;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    pub(super) fn search_id(&mut self, code: u8, data: &mut Data<'_>) -> Ended {
        self.search_ids(code, data, 1).0
    }

    /// Searches the IDs of so many records, one after the other, until one is found; of how many.
    pub(super) fn search_ids(&mut self, code: u8, data: &mut Data<'_>, most: u32) -> (Ended, u32) {
        let mut id = [0; 5];
        let mut given = None;
        for times in 1.. {
            let ended = self.next_id(code).and_then(|at| {
                let given = *given.get_or_insert_with(|| data.fetch_some(&mut id));
                let count = self.head.record(at)?.count.encode();
                self.searched(code, &count[..5], &id[..given], Found::Id)
            });
            if times == most || ended != Ok(DeviceStatus::ENDED) || !data.ok() {
                return (ended, times);
            }
        }
        unreachable!("a search ends when the index has passed twice")
    }

    fn next_id(&mut self, code: u8) -> Result<usize, Fault> {
        self.may_search()?;
        let at = self.next(code & super::code::MULTITRACK != 0, true)?;
        self.head.place = Place::Count(at);
        Ok(at)
    }

    pub(super) fn search_key(&mut self, code: u8, data: &mut Data<'_>) -> Ended {
        self.may_search()?;
        let at = match self.head.place {
            Place::Count(at) => at,
            _ => self.next(code & super::code::MULTITRACK != 0, false)?,
        };
        self.head.place = Place::Key(at);
        let key = self.head.record(at)?.key.to_vec();
        let wanted = data.fetch_up_to(key.len());
        self.searched(code, &key, &wanted, Found::Key)
    }

    pub(super) fn search_home_address(&mut self, multitrack: bool, data: &mut Data<'_>) -> Ended {
        self.may_search()?;
        if self.head.place != Place::Index {
            if multitrack { self.switch()? } else { self.index()? }
        }
        self.head.image()?;
        self.head.place = Place::Home;
        let wanted = data.fetch_up_to(4);
        let home = self.head.home();
        self.searched(super::code::SEARCH_HOME_ADDRESS, home.as_bytes(), &wanted, Found::Home)
    }

    /// Ends a search: as many bytes are compared as both have.
    fn searched(&mut self, code: u8, there: &[u8], wanted: &[u8], found: Found) -> Ended {
        let n = there.len().min(wanted.len());
        let order = there[..n].cmp(&wanted[..n]);
        // Bit 1 of the code: high satisfies; bit 2: equal does.
        let satisfied = n > 0 && (code & 0x40 != 0 && order.is_gt() || code & 0x20 != 0 && order.is_eq());
        if !satisfied {
            return Ok(DeviceStatus::ENDED);
        }
        self.program.turns = 0;
        if order.is_eq() {
            self.program.found = found;
        }
        Ok(DeviceStatus::ENDED | DeviceStatus::STATUS_MODIFIER)
    }

    /// Write Data, Write Key and Data, and (`update`) their forms for domains, which go on with the next track. In a
    /// domain of Write Track it is Write Data of record 0, and what follows on the track is erased.
    pub(super) fn write_data(&mut self, data: &mut Data<'_>, key: bool, update: bool, found: Found) -> Ended {
        self.may_write(Write::Update)?;
        let allowed = match found {
            Found::Id => true,
            Found::Key => !key,
            _ => false,
        };
        if self.program.domain.is_none() && (update || !allowed) {
            return Err(Fault::SEQUENCE);
        }
        let at = match self.head.place {
            Place::Count(at) => at,
            Place::Key(at) if !key => at,
            _ => self.next(update, false)?,
        };
        let whole = self.program.domain.is_some_and(|domain| domain.operation == Operation::WriteTrack);
        if whole {
            if at != HOME_ADDRESS || key || update {
                return Err(Fault::SEQUENCE);
            }
            self.may_write(Write::Format)?;
        }
        let count = self.head.count(at)?;
        let key_length = if key { usize::from(count.key) } else { 0 };
        let length = key_length + usize::from(count.data);
        if length > 0 && !self.collect(length, data) {
            return Ok(DeviceStatus::ENDED);
        }
        let buffer = std::mem::take(&mut self.buffer);
        if length > 0 {
            let (k, d) = buffer[..length].split_at(key_length);
            if !(k.is_empty() && !whole && self.head.write_alone(at, d)) {
                self.head.change(false)?.update(at, key.then_some(k), Some(d));
            }
            self.head.transfer(at, length);
        }
        self.buffer = buffer;
        self.head.place = Place::Data(at);
        if whole {
            let end = self.head.behind()?;
            self.head.change(true)?.erase(end);
        }
        self.transferred();
        self.program.found = Found::Passed;
        let mark = count.data == 0;
        Ok(if mark { DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION } else { DeviceStatus::ENDED })
    }

    /// Has `length` bytes from the program in the buffer, zeros where it has fewer. False if a check ended the
    /// transfer: then nothing is to be written.
    fn collect(&mut self, length: usize, data: &mut Data<'_>) -> bool {
        self.buffer.clear();
        self.buffer.resize(length, 0);
        data.fetch(&mut self.buffer);
        data.ok()
    }

    /// The count area of a record to be written, and its key and data in the buffer; `None` if a check ended the
    /// transfer.
    fn collect_record(&mut self, data: &mut Data<'_>) -> Result<Option<Count>, Fault> {
        let mut count = [0; Count::LEN];
        let given = data.fetch_some(&mut count);
        if !data.ok() {
            return Ok(None);
        }
        if given < Count::LEN {
            return Err(Fault::SHORT);
        }
        if count == END {
            return Err(Fault::PARAMETER);
        }
        let count = Count::decode(count);
        let length = usize::from(count.key) + usize::from(count.data);
        if length > 0 && !self.collect(length, data) {
            return Ok(None);
        }
        Ok(Some(count))
    }

    /// Whether a record fits after what ends at `at` in the image, which remains.
    fn fits(&mut self, at: usize, count: Count) -> Result<bool, Fault> {
        let (model, kind) = (self.model, self.kind);
        let Kind::Ckd { track, .. } = kind else { return Ok(false) };
        let (key, data) = (u32::from(count.key), u32::from(count.data));
        let room = match model {
            Some(model) => {
                let before = self.head.image()?.records().skip(1).take_while(|record| record.at < at);
                let space = |c: Count| model.space(u32::from(c.key), u32::from(c.data));
                let used: u32 = before.map(|record| space(record.count)).sum();
                used + model.last_space(key, data) <= model.track
            }
            None => true,
        };
        let bytes = at + Count::LEN + (key + data) as usize + END.len();
        Ok(room && bytes <= track as usize)
    }

    /// Puts the record in the buffer after what ends at `at`.
    fn format(&mut self, at: usize, count: Count) -> Result<(), Fault> {
        let buffer = std::mem::take(&mut self.buffer);
        let (key, rest) = buffer.split_at(usize::from(count.key).min(buffer.len()));
        let data = &rest[..usize::from(count.data)];
        self.head.change(true)?.format(at, count, key, data);
        self.head.transfer(at, Count::LEN + key.len() + data.len());
        self.buffer = buffer;
        self.head.place = Place::Data(at);
        self.transferred();
        self.program.found = Found::Passed;
        Ok(())
    }

    /// Write Count, Key, and Data; `next_track` for the form that begins another track of the domain.
    pub(super) fn write_ckd(&mut self, data: &mut Data<'_>, next_track: bool, found: Found) -> Ended {
        self.may_write(Write::Format)?;
        match &self.program.domain {
            Some(domain) if next_track && domain.fresh => return Err(Fault::SEQUENCE),
            None if next_track || matches!(found, Found::Nothing | Found::Home) => return Err(Fault::SEQUENCE),
            _ => {}
        }
        if next_track {
            self.head.advance(false)?;
        }
        let at = self.head.behind()?;
        let Some(count) = self.collect_record(data)? else { return Ok(DeviceStatus::ENDED) };
        if !self.fits(at, count)? {
            return Err(Fault::InvalidTrackFormat);
        }
        self.format(at, count)?;
        Ok(DeviceStatus::ENDED)
    }

    pub(super) fn write_r0(&mut self, data: &mut Data<'_>, found: Found) -> Ended {
        self.may_write(Write::Home)?;
        if self.program.domain.is_none() && found != Found::Home {
            return Err(Fault::SEQUENCE);
        }
        self.head.image()?;
        let Some(count) = self.collect_record(data)? else { return Ok(DeviceStatus::ENDED) };
        if !self.fits(HOME_ADDRESS, count)? {
            return Err(Fault::InvalidTrackFormat);
        }
        self.format(HOME_ADDRESS, count)?;
        Ok(DeviceStatus::ENDED)
    }

    /// Write Home Address: the track is empty afterwards. The address itself is where the track is, whatever is
    /// written to a device of older control units. Later ones look whether it is that (SA22-1025, "Write Home
    /// Address"), and want a search or a domain that found it.
    pub(super) fn write_home_address(&mut self, data: &mut Data<'_>, found: Found) -> Ended {
        self.may_write(Write::Home)?;
        let later = self.control_unit.extended();
        let place = match &self.program.domain {
            Some(domain) => domain.operation == Operation::FormatWrite && domain.orientation != Orientation::Count,
            None => found == Found::Home,
        };
        if later && !place {
            return Err(Fault::SEQUENCE);
        }
        let given = data.fetch_up_to(11);
        let Ok((home, _)) = HomeAddress::ref_from_prefix(&given) else { return Err(Fault::SHORT) };
        if !data.ok() {
            return Ok(DeviceStatus::ENDED);
        }
        if later && *home != (HomeAddress { flags: 0, track: self.head.home() }) {
            return Err(Fault::PARAMETER);
        }
        let (cylinder, head) = self.head.image()?.home();
        *self.head.change(true)? = Track::new(cylinder, head);
        self.head.place = Place::Home;
        self.transferred();
        self.program.found = Found::Home;
        Ok(DeviceStatus::ENDED)
    }

    /// Erase: what follows the record that just passed is gone.
    pub(super) fn erase(&mut self, data: &mut Data<'_>, found: Found) -> Ended {
        self.may_write(Write::Format)?;
        if self.program.domain.is_none() && matches!(found, Found::Nothing | Found::Home) {
            return Err(Fault::SEQUENCE);
        }
        let at = self.head.behind()?;
        // A count area and perhaps more comes along and says nothing.
        data.fetch_up_to(0xffff);
        if !data.ok() {
            return Ok(DeviceStatus::ENDED);
        }
        self.head.change(true)?.erase(at);
        self.transferred();
        self.program.found = Found::Passed;
        Ok(DeviceStatus::ENDED)
    }

    /// Write Track Data: over the data areas of the records that are left on the track.
    pub(super) fn write_track_data(&mut self, command: Command, data: &mut Data<'_>) -> Ended {
        self.may_write(Write::Update)?;
        if let Some((at, length)) = self.one_of_track_data(command)
            && self.head.length_alone(at) == Some(length)
        {
            if !self.collect(length, data) {
                return Ok(DeviceStatus::ENDED);
            }
            self.head.write_alone(at, &self.buffer);
            self.head.transfer(at, length);
            self.head.place = Place::Index;
            self.transferred();
            return Ok(DeviceStatus::ENDED);
        }
        let (first, length) = self.track_data(command)?;
        if length > 0 && !self.collect(length, data) {
            return Ok(DeviceStatus::ENDED);
        }
        let buffer = std::mem::take(&mut self.buffer);
        let image = self.head.change(false)?;
        let places: Vec<(usize, usize)> =
            image.records().filter(|r| r.at >= first).map(|r| (r.at, r.data.len())).collect();
        let mut from = 0;
        for (at, len) in places {
            if from < length {
                // What is missing of the last record is zeros.
                let mut piece = buffer[from..(from + len).min(length)].to_vec();
                piece.resize(len, 0);
                image.update(at, None, Some(&piece));
                from += len;
            }
        }
        self.buffer = buffer;
        self.head.transfer(first, length);
        self.head.place = Place::Index;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }

    /// Write Full Track: records from record 0 on, ended by eight bytes of X'FF' or the end of the data.
    pub(super) fn write_full_track(&mut self, data: &mut Data<'_>) -> Ended {
        self.may_write(Write::Format)?;
        let Some(domain) = self.program.domain else { return Err(Fault::SEQUENCE) };
        if domain.operation != Operation::WriteTrackset {
            return Err(Fault::SEQUENCE);
        }
        self.next_track()?;
        let Kind::Ckd { track: limit, .. } = self.kind else { return Err(Fault::FileProtected) };
        let records = data.fetch_up_to(limit as usize);
        if !data.ok() {
            return Ok(DeviceStatus::ENDED);
        }
        let old = self.head.image()?.image();
        let mut image = old[..HOME_ADDRESS].to_vec();
        image.extend_from_slice(&records);
        image.extend_from_slice(&END);
        let new = Track::from_image(image).filter(|new| new.image().len() <= limit as usize);
        *self.head.change(true)? = new.ok_or(Fault::InvalidTrackFormat)?;
        self.head.transfer(HOME_ADDRESS, records.len());
        self.head.place = Place::Index;
        self.transferred();
        Ok(DeviceStatus::ENDED)
    }
}
