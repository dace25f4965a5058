//! What in a block's code is another for each virtual CPU. It is addresses of the storage that it runs in, versions of
//! its frames' code, and numbers that its code cache gives. The code has no address of its own, so all the rest of it
//! can be taken over as it is. Frames stand for pages: the block's own, and others so far from it in the program's
//! space.
//!
//! Code is emitted with nothing in these places. Where it is put, they are filled ([`fill`]).

/// What such a place has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// Where the version is of the code in this one of the block's pages.
    VersionAt(u8),
    /// That version.
    Version(u8),
    /// The host's address of a byte of this page.
    Host {
        page: u8,
        offset: u16,
    },
    /// The number of this one of the block's sites, or of its links.
    Site(u32),
    Link(u32),
    /// A place for where a branch has led last ([`crate::emit::targets`]).
    Latest,
}

/// Nothing, in so many bytes.
pub(crate) const LATER: i64 = 0;
pub(crate) const LATER_HALF: i32 = 0;

/// The number among a block's pages of its own, and of the one beside it if it has text of another.
pub(crate) const OWN: u8 = 0;
pub(crate) const BESIDE: u8 = 1;

/// How far after the start of the code a place is, and what it has.
#[derive(Clone, Copy)]
pub(crate) struct Relocation {
    pub(crate) at: u32,
    pub(crate) value: Value,
}

impl Value {
    pub(crate) fn len(self) -> usize {
        match self {
            Value::VersionAt(_) | Value::Host { .. } | Value::Latest => 8,
            Value::Version(_) | Value::Site(_) | Value::Link(_) => 4,
        }
    }
}

impl Relocation {
    /// A place for this value, which ends `end` bytes after the start of the code.
    pub(crate) fn before(end: usize, value: Value) -> Relocation {
        Relocation { at: (end - value.len()) as u32, value }
    }
}

/// Fills all places of the code. `None`: there is no such value here.
pub(crate) fn fill(
    code: &mut [u8],
    relocations: &[Relocation],
    mut value: impl FnMut(Value) -> Option<u64>,
) -> Option<()> {
    for relocation in relocations {
        let bytes = value(relocation.value)?.to_le_bytes();
        let len = relocation.value.len();
        code[relocation.at as usize..][..len].copy_from_slice(&bytes[..len]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_and_nothing_else() {
        let all = [(1, Value::Site(7)), (5, Value::Latest), (14, Value::Version(BESIDE))];
        let relocations = all.map(|(at, value)| Relocation { at, value });
        let mut code = [0xee; 20];
        let filled = fill(&mut code, &relocations, |value| match value {
            Value::Site(n) => Some(u64::from(n) + 0x100),
            Value::Latest => Some(0x0102_0304_0506_0708),
            _ => Some(0xffff_ffff),
        });
        assert!(filled.is_some());
        let expected = [0xee, 7, 1, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0xee, 0xff, 0xff, 0xff, 0xff, 0xee, 0xee];
        assert_eq!(code, expected);
        assert!(fill(&mut code, &relocations, |value| (value != Value::Latest).then_some(0)).is_none());
    }
}
