//! Block ciphers with their keys.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
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
