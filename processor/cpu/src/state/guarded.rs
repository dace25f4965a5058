//! The guarded-storage registers (POP, chapter 4, "Guarded-storage facility").

use arch::guarded::Controls;
use serde::{Deserialize, Serialize};

/// The guarded-storage registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Guarded {
    /// Guarded-storage designation: origin, load shift (bits 53-55), characteristic (bits 58-63).
    pub designation: u64,
    /// Which of the 64 sections are guarded.
    pub sections: u64,
    /// Logical address of the parameter list.
    pub parameters: u64,
}

impl Guarded {
    /// The registers as LGSC loads them.
    pub fn of(controls: Controls) -> Guarded {
        let Controls { designation, sections, parameters, .. } = controls;
        Guarded { designation: designation.get(), sections: sections.get(), parameters: parameters.get() }
    }

    /// The registers as STGSC stores them.
    pub fn controls(&self) -> Controls {
        let mut controls = Controls::default();
        controls.designation = self.designation.into();
        controls.sections = self.sections.into();
        controls.parameters = self.parameters.into();
        controls
    }

    /// How far LLGFSG shifts the word it loads.
    pub fn load_shift(&self) -> u32 {
        (self.designation >> 8 & 7).min(4) as u32
    }

    /// Whether `pointer` leads into a guarded section.
    pub fn guards(&self, pointer: u64) -> bool {
        let characteristic = (self.designation & 63) as u32;
        if !(25..=56).contains(&characteristic) {
            return false;
        }
        let section = pointer >> (characteristic - 6) & 63;
        (pointer ^ self.designation) >> characteristic == 0 && self.sections << section >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_a_sixty_fourth_of_the_area() {
        // 32 MiB at 4000000, so sections of 512 KiB; the first and the last are guarded.
        let g = Guarded { designation: 0x0400_0000 | 25, sections: 0x8000_0000_0000_0001, parameters: 0 };
        assert!(g.guards(0x0400_0000) && g.guards(0x0407_ffff) && g.guards(0x05f8_0000));
        assert!(!g.guards(0x0408_0000) && !g.guards(0x03ff_ffff) && !g.guards(0x0600_0000));
        assert!(!Guarded { designation: 0x0400_0000 | 24, ..g }.guards(0x0400_0000), "no such characteristic");
    }
}
