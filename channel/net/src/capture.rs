//! Captures: what goes through a port, as a file that Wireshark and tcpdump open (pcapng, draft-ietf-opsawg-pcapng).
//!
//! The section is written in big-endian order, which its magic number says.

use base::Tod;
use base::layout::{U16, U32, U64};
use std::io::{self, Write};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Which way a frame goes, as what is at the port sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To what is at the port.
    In,
    /// From what is at the port.
    Out,
}

/// What a block begins with. Its length stands at its end once more.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Block {
    kind: U32,
    length: U32,
}
const _: () = assert!(size_of::<Block>() == 8);

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

/// A section header.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Section {
    magic: U32,
    major: U16,
    minor: U16,
    /// Of all blocks of the section; all ones: not known.
    length: U64,
}
const _: () = assert!(size_of::<Section>() == 16);

/// An interface description.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Interface {
    /// 1: Ethernet.
    link: U16,
    reserved_2: U16,
    /// The most bytes of a frame that are kept.
    most: U32,
}
const _: () = assert!(size_of::<Interface>() == 8);

/// An enhanced packet; its bytes follow.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Packet {
    interface: U32,
    /// Nanoseconds after the Unix epoch.
    time: U64,
    captured: U32,
    original: U32,
}
const _: () = assert!(size_of::<Packet>() == 20);

/// What an option begins with.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    code: U16,
    length: U16,
}
const _: () = assert!(size_of::<Head>() == 4);

/// The name of an interface; the flags of a packet.
const NAME: u16 = 2;
const FLAGS: u16 = 2;
/// In which parts of a second times are: 10 to the power of minus so many.
const RESOLUTION: u16 = 9;
const NANOSECONDS: u8 = 9;

/// A capture that is being written.
pub struct Capture {
    to: Box<dyn Write + Send>,
    block: Vec<u8>,
}

impl Capture {
    /// A capture into `to` of what goes through a port with this name.
    pub fn new(to: Box<dyn Write + Send>, name: &str) -> io::Result<Capture> {
        let mut capture = Capture { to, block: Vec::new() };
        let section = Section { magic: 0x1a2b_3c4d.into(), major: 1.into(), minor: 0.into(), length: u64::MAX.into() };
        capture.write(SECTION, &[section.as_bytes()], &[])?;
        let interface = Interface { link: 1.into(), reserved_2: 0.into(), most: (crate::LONGEST as u32).into() };
        let options: [(u16, &[u8]); 2] = [(NAME, name.as_bytes()), (RESOLUTION, &[NANOSECONDS])];
        capture.write(INTERFACE, &[interface.as_bytes()], &options)?;
        Ok(capture)
    }

    /// Writes a frame that goes by at `time`.
    pub fn frame(&mut self, direction: Direction, time: Tod, bytes: &[u8]) -> io::Result<()> {
        let length = U32::new(bytes.len() as u32);
        let packet = Packet { interface: 0.into(), time: time.unix_nanos().into(), captured: length, original: length };
        let flags = U32::new(match direction {
            Direction::In => 1,
            Direction::Out => 2,
        });
        self.write(PACKET, &[packet.as_bytes(), bytes], &[(FLAGS, flags.as_bytes())])
    }

    /// Writes what is still on its way to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    fn write(&mut self, kind: u32, body: &[&[u8]], options: &[(u16, &[u8])]) -> io::Result<()> {
        let block = &mut self.block;
        block.clear();
        block.extend_from_slice(Block { kind: kind.into(), length: 0.into() }.as_bytes());
        body.iter().for_each(|part| block.extend_from_slice(part));
        pad(block);
        for (code, value) in options {
            let value = &value[..value.len().min(1000)];
            block.extend_from_slice(Head { code: (*code).into(), length: (value.len() as u16).into() }.as_bytes());
            block.extend_from_slice(value);
            pad(block);
        }
        if !options.is_empty() {
            // The end of the options.
            block.extend_from_slice(Head { code: 0.into(), length: 0.into() }.as_bytes());
        }
        let length = U32::new((block.len() + size_of::<U32>()) as u32);
        block[4..8].copy_from_slice(length.as_bytes());
        block.extend_from_slice(length.as_bytes());
        self.to.write_all(block)
    }
}

/// Parts of a block begin at multiples of four bytes.
fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}
