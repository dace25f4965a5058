//! A disk of sectors (specification, chapter 5.2).

use crate::requests::{About, Desk, Requests, Service};
use arch::virtio::{
    DiskConfig, DiskPart, DiskRequest, disk_feature as feature, disk_request as request, disk_status as status, kind,
};
use std::io;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// Bytes of a sector.
pub const SECTOR: u64 = 512;
/// The longest segment of a request, and the most segments.
const SEGMENT: u32 = 1 << 16;
const SEGMENTS: u32 = 126;
/// The longest request, its head and status included.
const LONGEST: usize = SEGMENT as usize * SEGMENTS as usize + SECTOR as usize;
/// The most sectors of a part of DISCARD and WRITE ZEROES, and the most parts.
const PART_SECTORS: u32 = 1 << 22;
const PARTS: usize = 16;
/// Bytes of the serial number.
const SERIAL: usize = 20;

/// What a disk's sectors are in. Addresses are of bytes, and never beyond what the disk was said to have.
pub trait Medium {
    /// Reads.
    fn read(&mut self, at: u64, to: &mut [u8]) -> io::Result<()>;
    /// Writes.
    fn write(&mut self, at: u64, from: &[u8]) -> io::Result<()>;
    /// What was written before lasts.
    fn flush(&mut self) -> io::Result<()>;
    /// Gives bytes up; what is read there later is zeros.
    fn discard(&mut self, at: u64, length: u64) -> io::Result<()>;
}

/// What a disk is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Its sectors.
    pub sectors: u64,
    /// It cannot be written.
    pub read_only: bool,
    /// What the program sees as its serial number; up to 20 bytes of it.
    pub serial: String,
}

/// The device of a disk, whose requests go to `desk`.
pub fn disk(geometry: &Geometry, desk: Arc<Desk>) -> Requests {
    let config = DiskConfig {
        sectors: geometry.sectors.into(),
        longest: SEGMENT.into(),
        segments: SEGMENTS.into(),
        block: (SECTOR as u32).into(),
        discard_sectors: PART_SECTORS.into(),
        discard_parts: (PARTS as u32).into(),
        discard_alignment: 1.into(),
        zero_sectors: PART_SECTORS.into(),
        zero_parts: (PARTS as u32).into(),
        zero_discards: 1,
        ..DiskConfig::default()
    };
    let writes = feature::FLUSH | feature::DISCARD | feature::WRITE_ZEROES;
    let features = feature::SIZE_MAX
        | feature::SEG_MAX
        | feature::BLOCK_SIZE
        | if geometry.read_only { feature::READ_ONLY } else { writes };
    let config = config.as_bytes().to_vec();
    Requests::new(About { kind: kind::DISK, queue: &[256], features, config, longest: LONGEST, stateless: true }, desk)
}

/// Does a disk's requests.
pub struct Sectors<M> {
    geometry: Geometry,
    medium: M,
}

impl<M: Medium> Sectors<M> {
    /// A disk in this medium.
    pub fn new(geometry: Geometry, medium: M) -> Sectors<M> {
        Sectors { geometry, medium }
    }

    /// The address of so many bytes from a sector on, if the disk has them.
    fn place(&self, sector: u64, length: u64) -> Option<u64> {
        let last = sector.checked_add(length.div_ceil(SECTOR))?;
        (length % SECTOR == 0 && last <= self.geometry.sectors).then(|| sector * SECTOR)
    }

    /// Does a request; `data` is what is read, all of it.
    fn perform(&mut self, head: &DiskRequest, rest: &[u8], data: &mut [u8]) -> u8 {
        let kind = head.kind.get();
        let changes = matches!(kind, request::WRITE | request::DISCARD | request::WRITE_ZEROES);
        if changes && self.geometry.read_only {
            return status::ERROR;
        }
        let (reads, writes) = (data.len() as u64, rest.len() as u64);
        let done = match kind {
            request::READ => self.place(head.sector.get(), reads).map(|at| self.medium.read(at, data)),
            request::WRITE => self.place(head.sector.get(), writes).map(|at| self.medium.write(at, rest)),
            request::FLUSH => Some(self.medium.flush()),
            request::ID => {
                let serial = self.geometry.serial.as_bytes();
                let length = serial.len().min(SERIAL).min(data.len());
                data[..length].copy_from_slice(&serial[..length]);
                Some(Ok(()))
            }
            request::DISCARD | request::WRITE_ZEROES => self.give_up(kind, rest),
            _ => return status::UNSUPPORTED,
        };
        match done {
            Some(Ok(())) => status::DONE,
            Some(Err(error)) if error.kind() == io::ErrorKind::Unsupported => status::UNSUPPORTED,
            _ => status::ERROR,
        }
    }

    fn give_up(&mut self, kind: u32, rest: &[u8]) -> Option<io::Result<()>> {
        let parts = <[DiskPart]>::ref_from_bytes(rest).ok().filter(|parts| (1..=PARTS).contains(&parts.len()))?;
        let places = parts.iter().map(|part| {
            let (count, flags) = (part.count.get(), part.flags.get());
            let known = flags == 0 || flags == 1 && kind == request::WRITE_ZEROES;
            let length = u64::from(count) * SECTOR;
            let at = self.place(part.sector.get(), length)?;
            (known && count <= PART_SECTORS).then_some((at, length))
        });
        // All are looked at before one is given up.
        let places: Vec<(u64, u64)> = places.collect::<Option<_>>()?;
        let zeroes = |medium: &mut M, (at, length): (u64, u64)| match medium.discard(at, length) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported && kind == request::WRITE_ZEROES => {
                let zeros = vec![0; SEGMENT as usize];
                let mut pieces = (at..at + length).step_by(zeros.len());
                pieces.try_for_each(|piece| {
                    let rest = (at + length - piece).min(zeros.len() as u64);
                    medium.write(piece, &zeros[..rest as usize])
                })
            }
            result => result,
        };
        Some(places.into_iter().try_for_each(|place| zeroes(&mut self.medium, place)))
    }
}

impl<M: Medium> Service for Sectors<M> {
    fn answer(&mut self, request: &[u8], room: usize, answer: &mut Vec<u8>) {
        // The status is the last byte, whatever comes before it.
        let Some(before) = room.checked_sub(1) else { return };
        answer.resize(before, 0);
        let status = match DiskRequest::read_from_prefix(request) {
            Ok((head, rest)) => self.perform(&head, rest, answer),
            Err(_) => status::ERROR,
        };
        answer.push(status);
    }
}
