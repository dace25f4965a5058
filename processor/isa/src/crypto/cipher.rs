//! Block ciphers with their keys, clear ones and those that PCKMO has wrapped.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use cpu::WrappingKeys;
use des::{Des, TdesEde3};

/// Which cipher, and how long its key is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Dea,
    Tdea128,
    Tdea192,
    Aes128,
    Aes192,
    Aes256,
}

/// The function codes of [`Kind::of`].
pub(super) const CODES: [u8; 6] = [1, 2, 3, 18, 19, 20];
/// Added to the function code of a cipher with a clear key: the key is wrapped.
pub(super) const WRAPPED: u8 = 8;

impl Kind {
    /// The cipher of a function code, which most functions have in common.
    pub(super) fn of(code: u8) -> Option<Kind> {
        Some(match code {
            1 => Kind::Dea,
            2 => Kind::Tdea128,
            3 => Kind::Tdea192,
            18 => Kind::Aes128,
            19 => Kind::Aes192,
            20 => Kind::Aes256,
            _ => return None,
        })
    }

    /// Bytes of a block.
    pub(super) fn block(self) -> usize {
        match self {
            Kind::Dea | Kind::Tdea128 | Kind::Tdea192 => 8,
            _ => 16,
        }
    }

    /// Bytes of the pattern after a wrapped key.
    pub(super) fn pattern(self) -> usize {
        if self.block() == 8 { 24 } else { 32 }
    }

    /// The pattern after a wrapped key.
    pub(super) fn verification(self, keys: &WrappingKeys) -> &[u8] {
        if self.block() == 8 { &keys.dea_pattern } else { &keys.aes_pattern }
    }

    /// The cipher that wraps keys.
    fn wrapping(self, keys: &WrappingKeys) -> Cipher {
        match self.block() {
            8 => Cipher::new(Kind::Tdea192, &keys.dea),
            _ => Cipher::new(Kind::Aes256, &keys.aes),
        }
    }

    /// Bytes of a key.
    pub(super) fn key(self) -> usize {
        match self {
            Kind::Dea => 8,
            Kind::Tdea128 | Kind::Aes128 => 16,
            Kind::Tdea192 | Kind::Aes192 => 24,
            Kind::Aes256 => 32,
        }
    }
}

/// A cipher, and what stands for its key in a parameter block: the key, or the wrapped key and after it the
/// verification pattern of the wrapping key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Keyed {
    pub kind: Kind,
    pub wrapped: bool,
}

impl Keyed {
    /// Bytes of the key, and of the pattern if there is one.
    pub(super) fn length(self) -> usize {
        self.kind.key() + if self.wrapped { self.kind.pattern() } else { 0 }
    }
}

/// Wraps a key in its place. The manual leaves open how. Here each block, of which each but the first begins in the
/// middle of the one before where the cipher is AES, is enciphered after that one.
pub(super) fn wrap(kind: Kind, key: &mut [u8], with: &WrappingKeys) {
    let cipher = kind.wrapping(with);
    for at in (0..key.len() - kind.block() + 1).step_by(8) {
        cipher.encrypt(&mut key[at..at + kind.block()]);
    }
}

/// The reverse.
pub(super) fn unwrap(kind: Kind, key: &mut [u8], with: &WrappingKeys) {
    let cipher = kind.wrapping(with);
    for at in (0..key.len() - kind.block() + 1).step_by(8).rev() {
        cipher.decrypt(&mut key[at..at + kind.block()]);
    }
}

/// A cipher with its key.
pub(super) enum Cipher {
    Dea(Des),
    Tdea(TdesEde3),
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

const LENGTH: &str = "a key of the kind's length";

impl Cipher {
    /// `key` must be as long as [`Kind::key`] says. Parity bits of DEA keys are ignored.
    pub(super) fn new(kind: Kind, key: &[u8]) -> Cipher {
        match kind {
            Kind::Dea => Cipher::Dea(Des::new_from_slice(key).expect(LENGTH)),
            Kind::Tdea128 => {
                // The third key is the first.
                let mut three = [0; 24];
                three[..16].copy_from_slice(key);
                three[16..].copy_from_slice(&key[..8]);
                Cipher::Tdea(TdesEde3::new_from_slice(&three).expect(LENGTH))
            }
            Kind::Tdea192 => Cipher::Tdea(TdesEde3::new_from_slice(key).expect(LENGTH)),
            Kind::Aes128 => Cipher::Aes128(Aes128::new_from_slice(key).expect(LENGTH)),
            Kind::Aes192 => Cipher::Aes192(Aes192::new_from_slice(key).expect(LENGTH)),
            Kind::Aes256 => Cipher::Aes256(Aes256::new_from_slice(key).expect(LENGTH)),
        }
    }

    /// Enciphers one block.
    pub(super) fn encrypt(&self, block: &mut [u8]) {
        const BLOCK: &str = "a block of the cipher's length";
        match self {
            Cipher::Dea(c) => c.encrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Tdea(c) => c.encrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes128(c) => c.encrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes192(c) => c.encrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes256(c) => c.encrypt_block(block.try_into().expect(BLOCK)),
        }
    }

    /// Deciphers one block.
    pub(super) fn decrypt(&self, block: &mut [u8]) {
        const BLOCK: &str = "a block of the cipher's length";
        match self {
            Cipher::Dea(c) => c.decrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Tdea(c) => c.decrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes128(c) => c.decrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes192(c) => c.decrypt_block(block.try_into().expect(BLOCK)),
            Cipher::Aes256(c) => c.decrypt_block(block.try_into().expect(BLOCK)),
        }
    }
}

/// Exclusive or of `b` into `a`, as long as the shorter one.
pub(super) fn xor(a: &mut [u8], b: &[u8]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
}
