//! Path groups: what SET PATH GROUP ID and SENSE PATH GROUP ID are about (IBM 3990 Reference; 3480 Magnetic Tape
//! Subsystem Reference).
//!
//! A device here serves one configuration, so there is at most one group of it; each path is in it or not.

use serde::{Deserialize, Serialize};

/// What the control unit knows of one channel path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum Path {
    /// No identification was set since the last reset.
    #[default]
    Reset,
    /// One was set, and the path has left the group.
    Ungrouped,
    Grouped {
        multipath: bool,
    },
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct PathGroups {
    paths: [Path; 8],
    /// The path that the channel program in progress came by.
    current: usize,
    id: [u8; 11],
}

/// The parameters of SET PATH GROUP ID are not what they may be.
pub(crate) struct Unfit;

impl PathGroups {
    /// The channel program comes by the first path of this mask.
    pub(crate) fn select(&mut self, mask: u8) {
        self.current = (mask.leading_zeros() as usize).min(7);
    }

    fn grouped(&self) -> bool {
        self.paths.iter().any(|path| matches!(path, Path::Grouped { .. }))
    }

    /// Twelve bytes: function control and path-group identification.
    pub(crate) fn set(&mut self, [function, id @ ..]: [u8; 12]) -> Result<(), Unfit> {
        match function & 0x60 {
            // Establish: every path of the group has the same identification, which is not zero.
            0x00 => {
                if id == [0; 11] || self.grouped() && self.id != id {
                    return Err(Unfit);
                }
                self.id = id;
                self.paths[self.current] = Path::Grouped { multipath: function & 0x80 != 0 };
            }
            // Resign: this path leaves.
            0x40 => self.paths[self.current] = Path::Ungrouped,
            // Disband: all leave.
            0x20 => {
                for path in self.paths.iter_mut().filter(|path| **path != Path::Reset) {
                    *path = Path::Ungrouped;
                }
            }
            _ => return Err(Unfit),
        }
        Ok(())
    }

    /// Twelve bytes: the state of the path and (`reserved`, the bits of it) of the reservation, and the path-group
    /// identification.
    pub(crate) fn sense(&self, reserved: u8) -> [u8; 12] {
        let (path, multipath) = match self.paths[self.current] {
            Path::Reset => (0x00, false),
            Path::Ungrouped => (0x80, false),
            Path::Grouped { multipath } => (0xc0, multipath),
        };
        let mut answer = [0; 12];
        answer[0] = path | reserved | if multipath { 0x08 } else { 0 };
        if path != 0 {
            answer[1..].copy_from_slice(&self.id);
        }
        answer
    }
}
