//! A unit (a track, or a group of blocks) in its compressed form. One byte has the method, four say which unit it is,
//! and the rest is compressed.
//!
//! What is not compressed is put in zlib's form all the same, so it has a check sum. It is one block that is *stored*
//! (RFC 1950, RFC 1951 section 3.2.4). The form that the method "none" names has none. It is read, and written where
//! the other one would be longer than the programs of the field take. Such are groups of blocks in CFBA that cannot be
//! compressed.

use crate::error::MediaError;
use base::layout::U32;
use bzip2::read::{BzDecoder, BzEncoder};
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use std::io::Read;
use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};
use zlib_rs::adler32::adler32;

/// How units are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Not at all.
    None,
    /// With zlib's deflate.
    #[default]
    Zlib,
    /// With bzip2.
    Bzip2,
}

/// Bytes in front of a unit.
pub(crate) const PREFIX: usize = 5;
/// Smaller units are not worth it.
const LEAST: usize = 512;

impl Method {
    /// The method as the file's header has it: 0 none, 1 zlib, 2 bzip2.
    pub fn number(self) -> u8 {
        match self {
            Method::None => 0,
            Method::Zlib => 1,
            Method::Bzip2 => 2,
        }
    }

    /// The method of a number in the file's header; `None` if it is no method's.
    pub fn of(number: u8) -> Option<Method> {
        [Method::None, Method::Zlib, Method::Bzip2].into_iter().find(|method| method.number() == number)
    }
}

/// What begins the stored form: zlib's two bytes, and that the one block is the last and stored.
const STORED: [u8; 3] = [0x78, 0x01, 0x01];
/// What is before a stored body. After it is its Adler-32.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct StoredHead {
    /// [`STORED`].
    begin: [u8; 3],
    length: U16,
    /// The length, inverted.
    inverted: U16,
}
const _: () = assert!(size_of::<StoredHead>() == 7);
const AROUND: usize = size_of::<StoredHead>() + size_of::<U32>();

fn store(packed: &mut Vec<u8>, body: &[u8], longest: usize) {
    let fits = PREFIX + AROUND + body.len() <= longest;
    let Some(length) = u16::try_from(body.len()).ok().filter(|_| fits) else {
        packed[0] = Method::None.number();
        return packed.extend_from_slice(body);
    };
    packed[0] = Method::Zlib.number();
    let head = StoredHead { begin: STORED, length: length.into(), inverted: (!length).into() };
    packed.extend_from_slice(head.as_bytes());
    packed.extend_from_slice(body);
    packed.extend_from_slice(U32::new(adler32(1, body)).as_bytes());
}

/// The body of what [`store`] has made, if that is what it is.
fn stored(packed: &[u8]) -> Option<&[u8]> {
    let (head, rest) = StoredHead::ref_from_prefix(packed).ok()?;
    let (body, sum) = U32::ref_from_suffix(rest).ok()?;
    let length = head.length.get();
    let whole = head.begin == STORED && length == !head.inverted.get() && usize::from(length) == body.len();
    (whole && adler32(1, body) == sum.get()).then_some(body)
}

/// `id` and `body`, compressed if that makes it smaller. `level`: 1 (fast) to 9 (small). What cannot be compressed is
/// stored with its check sum if that takes no more than `longest` bytes, and else without.
pub(crate) fn pack(id: [u8; 4], body: &[u8], method: Method, level: u32, longest: usize) -> Vec<u8> {
    let mut packed = Vec::with_capacity(PREFIX + body.len() / 2);
    packed.push(method.number());
    packed.extend_from_slice(&id);
    let done = match method {
        _ if body.len() < LEAST => false,
        Method::None => false,
        Method::Zlib => ZlibEncoder::new(body, Compression::new(level)).read_to_end(&mut packed).is_ok(),
        Method::Bzip2 => BzEncoder::new(body, bzip2::Compression::new(level)).read_to_end(&mut packed).is_ok(),
    };
    if !done || packed.len() >= PREFIX + body.len() {
        packed.truncate(PREFIX);
        store(&mut packed, body, longest);
    }
    packed
}

/// The body of a unit, which must be the unit `id` and not be longer than `longest`.
pub(super) fn unpack(packed: &[u8], id: [u8; 4], longest: usize) -> Result<Vec<u8>, MediaError> {
    let Some((prefix, rest)) = packed.split_at_checked(PREFIX) else {
        return Err(MediaError::damaged("it is too short"));
    };
    if prefix[1..] != id {
        return Err(MediaError::damaged(format!("another one, {:02X?}, is in its place", &prefix[1..])));
    }
    // One byte more than there may be tells that there is too much.
    let mut body = Vec::with_capacity(longest + 1);
    let limit = longest as u64 + 1;
    match Method::of(prefix[0]) {
        None => return Err(MediaError::damaged(format!("its compression X'{:02X}' is unknown", prefix[0]))),
        Some(Method::None) => body.extend_from_slice(rest),
        Some(Method::Zlib) => match stored(rest) {
            Some(stored) => body.extend_from_slice(stored),
            None => {
                let read = ZlibDecoder::new(rest).take(limit).read_to_end(&mut body);
                read.map_err(|error| MediaError::damaged(format!("zlib finds {error}")))?;
            }
        },
        Some(Method::Bzip2) => {
            let read = BzDecoder::new(rest).take(limit).read_to_end(&mut body);
            read.map_err(|error| MediaError::damaged(format!("bzip2 finds {error}")))?;
        }
    }
    if body.len() > longest {
        return Err(MediaError::damaged(format!("it is longer than {longest} bytes")));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = u16::MAX as usize;

    #[test]
    fn units_survive() {
        let text: Vec<u8> = (0..40_000u32).map(|n| (n / 100) as u8).collect();
        let noise: Vec<u8> = (0..40_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for body in [&text[..], &noise, &text[..300], &[]] {
            for method in [Method::None, Method::Zlib, Method::Bzip2] {
                let packed = pack([0, 1, 0, 2], body, method, 6, LONGEST);
                assert!(packed.len() <= body.len() + PREFIX + AROUND);
                assert_eq!(unpack(&packed, [0, 1, 0, 2], 40_000).unwrap(), body);
            }
        }
        assert!(pack([0; 4], &text, Method::Zlib, 1, LONGEST).len() < 2000);
    }

    #[test]
    fn what_is_stored_is_zlib_to_others() {
        for length in [0, 1, 511, 50_000, 65_000] {
            let body: Vec<u8> = (0..length).map(|n: u32| (n * n >> 3) as u8).collect();
            let packed = pack([0, 1, 0, 2], &body, Method::None, 6, LONGEST);
            let mut back = Vec::new();
            ZlibDecoder::new(&packed[PREFIX..]).read_to_end(&mut back).unwrap();
            assert_eq!((packed[0], back), (Method::Zlib.number(), body));
        }
        // As others write it.
        assert_eq!(unpack(&[0, 0, 1, 0, 2, 9, 8, 7], [0, 1, 0, 2], 2000).unwrap(), [9, 8, 7]);
        let group = [5; 61_440];
        let packed = pack([0; 4], &group, Method::None, 6, PREFIX + group.len());
        assert_eq!((packed[0], packed.len()), (Method::None.number(), PREFIX + group.len()));
        assert_eq!(pack([0; 4], &group, Method::None, 6, packed.len() + AROUND).len(), packed.len() + AROUND);
        let longest = [5; 65_530];
        assert_eq!(unpack(&pack([0; 4], &longest, Method::None, 6, LONGEST), [0; 4], 65_530).unwrap(), longest);
    }

    #[test]
    fn a_changed_byte_is_found_whatever_the_method() {
        for method in [Method::None, Method::Zlib, Method::Bzip2] {
            let body: Vec<u8> = (0..3000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 9) as u8).collect();
            let packed = pack([0, 1, 0, 2], &body, method, 6, LONGEST);
            for at in (PREFIX + 2..packed.len()).step_by(7) {
                let mut changed = packed.clone();
                changed[at] ^= 0x10;
                let found = unpack(&changed, [0, 1, 0, 2], 4000);
                assert!(found.is_err() || found.as_ref() == Ok(&body), "{method:?} {at}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let packed = pack([0, 1, 0, 2], &[7; 2000], Method::Zlib, 6, LONGEST);
        assert!(unpack(&packed, [0, 1, 0, 3], 2000).is_err());
        assert!(unpack(&packed, [0, 1, 0, 2], 1999).is_err());
        assert!(unpack(&packed[..4], [0, 1, 0, 2], 2000).is_err());
        assert!(unpack(&packed[..packed.len() - 3], [0, 1, 0, 2], 2000).is_err());
        for at in [0, 6, packed.len() / 2, packed.len() - 1] {
            let mut torn = packed.clone();
            torn[at] ^= 0x55;
            assert!(unpack(&torn, [0, 1, 0, 2], 2000).is_err(), "{at}");
        }
    }
}
