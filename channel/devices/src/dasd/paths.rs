//! Path groups: SET PATH GROUP ID and SENSE PATH GROUP ID (IBM 3990 Reference).
//!
//! A device here serves one configuration, so there is at most one group of it; each path is in it or not.

use super::eckd::{Eckd, Ended};
use super::sense::Fault;
use arch::io::DeviceStatus;
use css::Data;

/// What the control unit knows of one channel path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

#[derive(Default)]
pub(super) struct PathGroups {
    paths: [Path; 8],
    /// The path that the channel program in progress came by.
    current: usize,
    id: [u8; 11],
}

impl PathGroups {
    /// The channel program comes by the first path of this mask.
    pub fn select(&mut self, mask: u8) {
        self.current = (mask.leading_zeros() as usize).min(7);
    }

    fn grouped(&self) -> bool {
        self.paths.iter().any(|path| matches!(path, Path::Grouped { .. }))
    }
}

impl Eckd {
    /// Twelve bytes: function control and path-group identification.
    pub(super) fn set_path_group(&mut self, data: &mut Data<'_>) -> Ended {
        let [function, id @ ..] = Self::parameters::<12>(data)?;
        let groups = &mut self.paths;
        match function & 0x60 {
            // Establish: every path of the group has the same identification, which is not zero.
            0x00 => {
                if id == [0; 11] || groups.grouped() && groups.id != id {
                    return Err(Fault::PARAMETER);
                }
                groups.id = id;
                groups.paths[groups.current] = Path::Grouped { multipath: function & 0x80 != 0 };
            }
            // Resign: this path leaves.
            0x40 => groups.paths[groups.current] = Path::Ungrouped,
            // Disband: all leave.
            0x20 => {
                for path in groups.paths.iter_mut().filter(|path| **path != Path::Reset) {
                    *path = Path::Ungrouped;
                }
            }
            _ => return Err(Fault::PARAMETER),
        }
        Ok(DeviceStatus::ENDED)
    }

    /// Twelve bytes: the state of the path and of the reservation, and the path-group identification.
    pub(super) fn sense_path_group(&mut self, data: &mut Data<'_>) -> Ended {
        let (path, multipath) = match self.paths.paths[self.paths.current] {
            Path::Reset => (0x00, false),
            Path::Ungrouped => (0x80, false),
            Path::Grouped { multipath } => (0xc0, multipath),
        };
        let reservation = &self.options.reservation;
        let reserved = match (reservation.held_by(self.party), reservation.free_for(self.party)) {
            (true, _) => 0x30,
            (false, true) => 0x00,
            (false, false) => 0x20,
        };
        let mut answer = [0; 12];
        answer[0] = path | reserved | if multipath { 0x08 } else { 0 };
        if path != 0 {
            answer[1..].copy_from_slice(&self.paths.id);
        }
        data.store(&answer);
        Ok(DeviceStatus::ENDED)
    }
}
