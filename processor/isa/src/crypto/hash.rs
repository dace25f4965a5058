//! Digests of bytes that come a piece at a time, for instructions that need one on the way to something else.

use super::digest::{Digest, STATE, permute};
use base::layout::{U64, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// SHA-512 before the first block (FIPS 180-4, 5.3.5).
const SHA_512: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];
/// The longest block: SHAKE256's.
const BLOCK: usize = 136;

/// How far a digest is. It has a layout, because an instruction that ends early leaves it in storage.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Progress {
    value: [u8; STATE],
    /// The block that is not whole yet.
    block: [u8; BLOCK],
    /// How many bytes there have been.
    length: U64,
}

/// A digest, and how far it is.
#[derive(Clone, Copy)]
pub(super) struct Hash {
    digest: Digest,
    progress: Progress,
}

impl Hash {
    /// SHA-512 of nothing yet.
    pub(super) fn sha512() -> Hash {
        let mut hash = Hash::shake256();
        hash.digest = Digest::Sha512;
        let start: [u8; 64] = transmute!(SHA_512.map(U64::new));
        hash.progress.value[..64].copy_from_slice(&start);
        hash
    }

    /// SHAKE256 of nothing yet.
    pub(super) fn shake256() -> Hash {
        let progress = Progress { value: [0; STATE], block: [0; BLOCK], length: U64::ZERO };
        Hash { digest: Digest::Shake(BLOCK), progress }
    }

    /// How far it is.
    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    /// The same digest, as far as it was before.
    pub(super) fn at(self, progress: Progress) -> Hash {
        Hash { progress, ..self }
    }

    /// More bytes.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        let n = self.digest.block();
        let Progress { value, block, length } = &mut self.progress;
        while !bytes.is_empty() {
            let filled = (length.get() % n as u64) as usize;
            let take = bytes.len().min(n - filled);
            block[filled..filled + take].copy_from_slice(&bytes[..take]);
            *length = U64::new(length.get().wrapping_add(take as u64));
            if filled + take == n {
                self.digest.absorb(value, &block[..n], &[0; 16]);
            }
            bytes = &bytes[take..];
        }
    }

    /// The digest. It is as long as `to`: up to 64 bytes of SHA-512, up to a block of SHAKE256.
    pub(super) fn finish(mut self, to: &mut [u8]) {
        let n = self.digest.block();
        let bits = 8 * self.progress.length.get() as u128;
        let filled = (self.progress.length.get() % n as u64) as usize;
        if self.digest == Digest::Sha512 {
            self.add(&[0x80]);
            while self.progress.length.get() % 128 != 112 {
                self.add(&[0]);
            }
            self.add(&U128::new(bits).to_bytes());
        } else {
            let Progress { value, block, .. } = &mut self.progress;
            block[filled..].fill(0);
            block[filled] ^= 0x1f;
            block[n - 1] ^= 0x80;
            super::cipher::xor(value, block);
            permute(value);
        }
        to.copy_from_slice(&self.progress.value[..to.len()]);
    }
}

/// SHA-512 of parts one after another.
pub(super) fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    let mut hash = Hash::sha512();
    parts.iter().for_each(|part| hash.add(part));
    let mut digest = [0; 64];
    hash.finish(&mut digest);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// FIPS 180-4's example, and one of FIPS 202's: nothing at all.
    #[test]
    fn digests_are_those_of_the_standards() {
        assert!(hex(&sha512(&[b"a", b"bc"])).starts_with("ddaf35a193617abacc417349ae204131"));
        let mut digest = [0; 32];
        Hash::shake256().finish(&mut digest);
        assert_eq!(hex(&digest), "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
    }

    /// However the bytes are cut, and wherever the digest is left and taken up again.
    #[test]
    fn pieces_do_not_matter() {
        let bytes: Vec<u8> = (0..1000).map(|n| (n * 7) as u8).collect();
        for start in [Hash::sha512(), Hash::shake256()] {
            for length in [0, 1, 111, 112, 127, 128, 135, 136, 137, 272, 1000] {
                let digest = |cut: usize| {
                    let mut first = start;
                    first.add(&bytes[..cut]);
                    let mut then = start.at(first.progress());
                    then.add(&bytes[cut..length]);
                    let mut digest = [0; 64];
                    then.finish(&mut digest);
                    digest
                };
                assert!((0..=length).all(|cut| digest(cut) == digest(0)), "{length}");
            }
        }
    }
}
