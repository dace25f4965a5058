//! Targets of indirect branches that are remembered: generated code finds its way to another block by the address, the space and the
//! mode, and how often the block's page was forgotten.

pub const TARGET_COUNT: usize = 8192;

/// The place of a target: pages are like each other, and so are spaces, so each begins elsewhere.
fn place(ia: u64, key: u64) -> usize {
    ((ia ^ ia >> 7 ^ key) >> 1) as usize & (TARGET_COUNT - 1)
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Target {
    ia: u64,
    code: u64,
}

/// When it is one.
#[derive(Clone, Copy)]
#[repr(C)]
struct Stamp {
    key: u64,
    forgotten: u32,
    /// The low byte of the page's number.
    row: u32,
}

/// Two tables, so that the host's addressing modes reach both by one index.
#[repr(C)]
pub struct Targets {
    targets: [Target; TARGET_COUNT],
    stamps: [Stamp; TARGET_COUNT],
}

/// Where the second table begins, and where in one of its entries the counts stand.
pub const STAMPS: i32 = std::mem::offset_of!(Targets, stamps) as i32;
pub const STAMP_FORGOTTEN: i32 = std::mem::offset_of!(Stamp, forgotten) as i32;
pub const STAMP_ROW: i32 = std::mem::offset_of!(Stamp, row) as i32;

const NOTHING: Targets = Targets {
    targets: [Target { ia: 0, code: 0 }; TARGET_COUNT],
    stamps: [Stamp { key: u64::MAX, forgotten: 0, row: 0 }; TARGET_COUNT],
};

impl Targets {
    pub fn new() -> Box<Targets> {
        Box::new(NOTHING)
    }

    pub fn clear(&mut self) {
        *self = NOTHING;
    }

    /// The block at `ia` has its code at `code`, where the key is this one and the page was forgotten so often.
    pub fn remember(&mut self, ia: u64, key: u64, code: u64, forgotten: u32) {
        let place = place(ia, key);
        self.targets[place] = Target { ia, code };
        self.stamps[place] = Stamp { key, forgotten, row: (ia >> 12) as u32 & 0xff };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_one_in_its_space_alone_until_all_are_forgotten() {
        let mut targets = Targets::new();
        let (ia, user, kernel) = (0x12_3456_789a, 0x1235, 0x0015);
        targets.remember(ia, user, 0x1000, 3);
        targets.remember(ia, kernel, 0x2000, 4);
        let found = |targets: &Targets, key: u64| {
            let (target, stamp) = (targets.targets[place(ia, key)], targets.stamps[place(ia, key)]);
            (target.ia == ia && stamp.key == key).then_some((target.code, stamp.forgotten, stamp.row))
        };
        assert_eq!(found(&targets, user), Some((0x1000, 3, 0x67)));
        assert_eq!(found(&targets, kernel), Some((0x2000, 4, 0x67)));
        assert_eq!(found(&targets, 0x2225), None);
        targets.clear();
        assert_eq!(found(&targets, user), None);
        // An empty place is nobody's target, not even that of address 0.
        assert_ne!(targets.stamps[place(0, 0)].key, 0);
    }
}
