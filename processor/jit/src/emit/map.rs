//! Where the guest's registers are at one point of a block: the general ones, the floating-point ones, and open spans.

use crate::emit::words::NONE;
use crate::plan::spans::OpenSpans;

/// Where the guest's registers are at one point of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    /// The host register of each general register, or `NONE`.
    pub host: [u8; 16],
    /// The host register is newer than the `State`.
    pub dirty: u16,
    /// The host register holds all 64 bits; else only the right half, and the left half is in the `State`.
    pub full: u16,
    /// The left half of the host register is zero.
    pub clear: u16,
    pub floats: Floats,
    pub spans: OpenSpans,
    /// The page beside the block's is known to be the one that its text was read from.
    pub crossed: bool,
    /// Vector instructions are known to be allowed.
    pub vectors: bool,
}

impl Map {
    pub(crate) const EMPTY: Map = Map {
        host: [NONE; 16],
        dirty: 0,
        full: 0,
        clear: 0,
        floats: Floats::EMPTY,
        spans: OpenSpans::NONE,
        crossed: false,
        vectors: false,
    };
}

/// Host registers that hold floating-point registers: xmm3-xmm15. The others are scratch inside one instruction.
pub(crate) const FIRST: u8 = 3;
pub(crate) const COUNT: usize = 13;

/// Where the guest's floating-point registers are at one point of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Floats {
    /// The host register of each, or `NONE`.
    pub host: [u8; 16],
    /// The host register is newer than the `State`.
    pub dirty: u16,
    /// The host register holds all 64 bits; else it holds a short number, the left half, and the rest is in the
    /// `State`.
    pub long: u16,
    /// The floating-point-control register has been looked at, and is [`ready`](crate::plan::float_forms::ready).
    pub checked: bool,
}

impl Floats {
    pub(crate) const EMPTY: Floats = Floats { host: [NONE; 16], dirty: 0, long: 0, checked: false };

    /// Whether any register is held.
    pub(crate) fn any(&self) -> bool {
        self.host != [NONE; 16]
    }

    /// The registers that are held: the guest's, the host's, whether it is newer, whether it is long.
    pub(crate) fn held(&self) -> impl Iterator<Item = (u8, u8, bool, bool)> + '_ {
        (0..16u8)
            .filter(|&r| self.host[r as usize] != NONE)
            .map(|r| (r, self.host[r as usize], self.dirty >> r & 1 == 1, self.long >> r & 1 == 1))
    }

    /// The same without those that share a host register with another: where several ways come together each has its
    /// own.
    pub(crate) fn parted(mut self) -> Floats {
        for r in 0..16 {
            let x = self.host[r];
            if x != NONE && self.host.iter().filter(|&&other| other == x).count() > 1 {
                self.host[r] = NONE;
                self.dirty &= !(1 << r);
            }
        }
        self
    }
}
