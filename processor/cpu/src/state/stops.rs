//! Where a debugger outside of the guest wants a CPU to stop. Nothing of it is in the guest's storage or registers.

use arch::PAGE;

/// Storage that a debugger watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// The logical address of the first byte.
    pub first: u64,
    /// The address of the last byte.
    pub last: u64,
    /// The CPU stops after fetches.
    pub fetches: bool,
    /// The CPU stops after stores.
    pub stores: bool,
}

/// An access to storage that is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// What is watched there.
    pub area: Area,
    /// The first of its bytes that was accessed.
    pub address: u64,
    /// It was stored into.
    pub store: bool,
}

/// Instructions before which a CPU stops, and storage after whose access it does.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stops {
    /// Logical addresses, in order.
    instructions: Vec<u64>,
    areas: Vec<Area>,
}

impl Stops {
    /// Before instructions at these logical addresses, and after accesses to these areas.
    pub fn new(mut instructions: Vec<u64>, areas: Vec<Area>) -> Stops {
        instructions.sort_unstable();
        Stops { instructions, areas }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty() && self.areas.is_empty()
    }

    /// Whether storage is watched.
    pub fn watches(&self) -> bool {
        !self.areas.is_empty()
    }

    /// Whether a CPU stops before the instruction at `address`.
    pub fn has(&self, address: u64) -> bool {
        self.instructions.binary_search(&address).is_ok()
    }

    /// Whether it may stop before an instruction at `absolute`, which any page of any space can be.
    pub fn may_have(&self, absolute: u64) -> bool {
        self.instructions.iter().any(|stop| stop % PAGE == absolute % PAGE)
    }

    /// The watched storage that an access to `length` bytes at `address` touches.
    pub fn touched(&self, address: u64, length: u64, store: bool) -> Option<Touched> {
        let last = address.saturating_add(length.checked_sub(1)?);
        let touches = |area: &&Area| {
            let wanted = if store { area.stores } else { area.fetches };
            wanted && area.first <= last && address <= area.last
        };
        let area = *self.areas.iter().find(touches)?;
        Some(Touched { area, address: address.max(area.first), store })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_touches_what_it_has_a_byte_of() {
        let area = Area { first: 0x1000, last: 0x1007, fetches: false, stores: true };
        let stops = Stops::new(vec![0x2008, 0x1008], vec![area]);
        for (address, length, at) in [
            (0xfff, 1, None),
            (0xfff, 2, Some(0x1000)),
            (0x1004, 2, Some(0x1004)),
            (0x1007, 8, Some(0x1007)),
            (0x1008, 1, None),
            (0x1000, 0, None),
            (0, u64::MAX, Some(0x1000)),
        ] {
            assert_eq!(stops.touched(address, length, true).map(|touched| touched.address), at, "{address:X} {length}");
            assert_eq!(stops.touched(address, length, false), None, "fetches are not watched");
        }
        assert!(stops.has(0x1008) && stops.has(0x2008) && !stops.has(0x3008));
        assert!(stops.may_have(0x7008) && !stops.may_have(0x7006));
    }
}
