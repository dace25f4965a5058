//! One `name=value` of a case line.

use std::fmt;

/// What a case line sets before the instruction, or expects after it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Setting {
    /// `r2=`: a general register; fewer than 16 digits mean zeros on the left.
    Gr(usize, u64),
    /// `f0=`: a floating-point register; fewer than 16 digits mean zeros on the right, as short operands lie.
    Fpr(usize, u64),
    /// `v17=`: a vector register; fewer than 32 digits mean zeros on the right.
    Vr(usize, u128),
    /// `a7=`: an access register.
    Ar(usize, u32),
    /// `c0=`: a control register.
    Cr(usize, u64),
    /// `fpc=`: the floating-point-control register.
    Fpc(u32),
    /// `cc=`: the condition code, one digit.
    Cc(u8),
    /// `mask=`: the program mask, one hexadecimal digit.
    Mask(u8),
    /// `key=`: the PSW's access key, one hexadecimal digit.
    Key(u8),
    /// `psw=`: PSW bits 0-63 as z/Architecture has them, without condition code and program mask.
    Psw(u64),
    /// `ia=`: the instruction address.
    Ia(u64),
    /// `@2000=`: bytes of absolute storage.
    Storage(u64, Vec<u8>),
    /// `sha256@2000+10000=`: so many bytes of absolute storage from there on, as their digest: for what is too long to
    /// write.
    Digest(u64, u64, [u8; 32]),
    /// `skey@2000=`: a storage key.
    StorageKey(u64, u8),
    /// `prefix=`.
    Prefix(u64),
    /// `counters=`: enable controls of the CPU-measurement counter sets.
    Counters(u16),
    /// `tx=`: how many transactions are begun and not ended; an abort goes on at [`crate::run::ABORTED`].
    Transactions(u16),
    /// `pgm=`: a program interruption of this code.
    Program(u16),
    /// `ilc=`: its instruction-length code, 1-3.
    Ilc(u8),
    /// `dxc=`: its data-exception code, or vector-exception code.
    Dxc(u8),
    /// `tea=`: its translation-exception identification.
    Tea(u64),
    /// `svc=`: a supervisor-call interruption of this number.
    Svc(u8),
    /// `intercept=`: the instruction was handed over.
    Intercept(String),
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

fn below(text: &str, limit: u64) -> Option<u64> {
    number(text).filter(|v| *v < limit)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || text.is_empty() {
        return None;
    }
    (0..text.len()).step_by(2).map(|n| u8::from_str_radix(text.get(n..n + 2)?, 16).ok()).collect()
}

impl Setting {
    /// A vector register; as a floating-point register if it is one and the right half does not matter.
    pub fn register(n: usize, [left, right]: [u64; 2], whole: bool) -> Setting {
        if whole || n > 15 { Setting::Vr(n, u128::from(left) << 64 | u128::from(right)) } else { Setting::Fpr(n, left) }
    }

    /// Reads one `name=value`.
    pub fn parse(text: &str) -> Option<Setting> {
        let (name, value) = text.split_once('=')?;
        if let Some(at) = name.strip_prefix("skey@") {
            return Some(Setting::StorageKey(number(at)?, below(value, 256)? as u8));
        }
        if let Some(place) = name.strip_prefix("sha256@") {
            let (at, length) = place.split_once('+')?;
            return Some(Setting::Digest(number(at)?, number(length)?, bytes(value)?.try_into().ok()?));
        }
        if let Some(at) = name.strip_prefix('@') {
            return Some(Setting::Storage(number(at)?, bytes(value)?));
        }
        Some(match name {
            "fpc" => Setting::Fpc(below(value, 1 << 32)? as u32),
            "cc" => Setting::Cc(below(value, 4)? as u8),
            "mask" => Setting::Mask(below(value, 16)? as u8),
            "key" => Setting::Key(below(value, 16)? as u8),
            "psw" => Setting::Psw(number(value)?),
            "ia" => Setting::Ia(number(value)?),
            "prefix" => Setting::Prefix(number(value)?),
            "counters" => Setting::Counters(below(value, 1 << 16)? as u16),
            "tx" => Setting::Transactions(below(value, 16)? as u16),
            "pgm" => Setting::Program(below(value, 1 << 16)? as u16),
            "ilc" => Setting::Ilc(below(value, 4)? as u8),
            "dxc" => Setting::Dxc(below(value, 256)? as u8),
            "tea" => Setting::Tea(number(value)?),
            "svc" => Setting::Svc(below(value, 256)? as u8),
            "intercept" => Setting::Intercept(value.to_string()),
            _ => {
                let n: usize =
                    name.get(1..)?.parse().ok().filter(|n| *n < if name.starts_with('v') { 32 } else { 16 })?;
                match &name[..1] {
                    "r" => Setting::Gr(n, number(value)?),
                    "f" if value.len() <= 16 => Setting::Fpr(n, number(value)? << (64 - 4 * value.len() as u32)),
                    "v" if value.len() <= 32 => {
                        let v = u128::from_str_radix(value, 16).ok()?;
                        Setting::Vr(n, v.checked_shl(128 - 4 * value.len() as u32)?)
                    }
                    "a" => Setting::Ar(n, below(value, 1 << 32)? as u32),
                    "c" => Setting::Cr(n, number(value)?),
                    _ => return None,
                }
            }
        })
    }
}

/// 8 digits if they hold the value, else 16.
fn register(f: &mut fmt::Formatter<'_>, name: char, n: usize, v: u64) -> fmt::Result {
    if v >> 32 == 0 { write!(f, "{name}{n}={v:08X}") } else { write!(f, "{name}{n}={v:016X}") }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Gr(n, v) => register(f, 'r', *n, *v),
            Setting::Cr(n, v) => register(f, 'c', *n, *v),
            Setting::Fpr(n, v) if v << 32 == 0 => write!(f, "f{n}={:08X}", v >> 32),
            Setting::Fpr(n, v) => write!(f, "f{n}={v:016X}"),
            Setting::Vr(n, v) => write!(f, "v{n}={v:032X}"),
            Setting::Ar(n, v) => write!(f, "a{n}={v:08X}"),
            Setting::Fpc(v) => write!(f, "fpc={v:08X}"),
            Setting::Cc(v) => write!(f, "cc={v}"),
            Setting::Mask(v) => write!(f, "mask={v:X}"),
            Setting::Key(v) => write!(f, "key={v:X}"),
            Setting::Psw(v) => write!(f, "psw={v:016X}"),
            Setting::Ia(v) => write!(f, "ia={v:X}"),
            Setting::Prefix(v) => write!(f, "prefix={v:X}"),
            Setting::Counters(v) => write!(f, "counters={v:X}"),
            Setting::Transactions(v) => write!(f, "tx={v:X}"),
            Setting::Program(v) => write!(f, "pgm={v:04X}"),
            Setting::Ilc(v) => write!(f, "ilc={v}"),
            Setting::Dxc(v) => write!(f, "dxc={v:02X}"),
            Setting::Tea(v) => write!(f, "tea={v:X}"),
            Setting::Svc(v) => write!(f, "svc={v:02X}"),
            Setting::Intercept(v) => write!(f, "intercept={v}"),
            Setting::StorageKey(a, v) => write!(f, "skey@{a:X}={v:02X}"),
            Setting::Digest(a, length, digest) => {
                write!(f, "sha256@{a:X}+{length:X}=")?;
                digest.iter().try_for_each(|b| write!(f, "{b:02X}"))
            }
            Setting::Storage(a, bytes) => {
                write!(f, "@{a:X}=")?;
                bytes.iter().try_for_each(|b| write!(f, "{b:02X}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "r2=FFFFFFFF",
            "r15=0000000100000000",
            "f0=3F800000",
            "f4=3FF0000000000001",
            "v31=000102030405060708090A0B0C0D0E0F",
            "a7=00000001",
            "c0=000000E0",
            "fpc=00800000",
            "cc=3",
            "mask=8",
            "key=F",
            "psw=0001000180000000",
            "ia=8004",
            "@2000=00FF",
            "sha256@20000+10000=E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
            "skey@2000=F8",
            "prefix=2000",
            "counters=6",
            "tx=1",
            "pgm=0005",
            "ilc=2",
            "dxc=08",
            "tea=2000",
            "svc=17",
            "intercept=SSCH",
        ] {
            assert_eq!(Setting::parse(text).expect(text).to_string(), text);
        }
        for text in ["r16=0", "cc=4", "@2000=0", "sha256@2000+1=00", "q=1", "r1", "f0=00000000000000000"] {
            assert_eq!(Setting::parse(text), None, "{text}");
        }
    }
}
