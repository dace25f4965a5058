//! How the blocks of HET files are compressed.

use bzip2::read::{BzDecoder, BzEncoder};
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use std::io::Read;
use std::path::Path;

/// How a block is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Not at all.
    #[default]
    None,
    /// By zlib.
    Zlib,
    /// By bzip2.
    Bzip2,
}

impl Method {
    /// The number in a header.
    pub(crate) fn number(self) -> u8 {
        self as u8
    }

    pub(crate) fn of(number: u8) -> Option<Method> {
        [Method::None, Method::Zlib, Method::Bzip2].into_iter().find(|method| method.number() == number)
    }

    /// What the name of a file promises.
    pub(crate) fn of_name(path: &Path) -> Method {
        match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("het")) {
            true => Method::Zlib,
            false => Method::None,
        }
    }
}

/// The block compressed, if that makes it shorter.
pub(crate) fn pack(block: &[u8], method: Method) -> (Method, Vec<u8>) {
    let mut packed = Vec::new();
    let done = match method {
        Method::None => false,
        Method::Zlib => ZlibEncoder::new(block, Compression::new(4)).read_to_end(&mut packed).is_ok(),
        Method::Bzip2 => BzEncoder::new(block, bzip2::Compression::new(4)).read_to_end(&mut packed).is_ok(),
    };
    if done && packed.len() < block.len() { (method, packed) } else { (Method::None, block.to_vec()) }
}

/// The block, which must not be longer than `longest`.
pub(crate) fn unpack(stored: Vec<u8>, method: Method, longest: usize) -> Result<Vec<u8>, String> {
    let mut block = Vec::new();
    let limit = longest as u64 + 1;
    let read = match method {
        Method::None => return Ok(stored),
        Method::Zlib => ZlibDecoder::new(stored.as_slice()).take(limit).read_to_end(&mut block),
        Method::Bzip2 => BzDecoder::new(stored.as_slice()).take(limit).read_to_end(&mut block),
    };
    match read {
        Ok(length) if length <= longest => Ok(block),
        Ok(_) => Err("a block longer than any can be".into()),
        Err(error) => Err(format!("a block that cannot be decompressed: {error}")),
    }
}
