//! The volumes of experiments with disks, and the users that have them.

use crate::bare::{BLOCKS, CYLINDERS};

/// How many volumes there are, each with a minidisk of a user of its own.
pub(crate) const VOLUMES: usize = 4;

/// The user with the minidisk of a volume, counted from 1.
pub(crate) fn user(n: usize) -> String {
    format!("DISKS{n:02}")
}

/// The serial of a volume.
pub(crate) fn serial(n: usize) -> String {
    format!("RPT{n:03}")
}

/// Its file in the system's folder.
pub(crate) fn file(n: usize) -> String {
    format!("volumes/{}.3390", serial(n).to_lowercase())
}

/// The real device of a volume.
pub(crate) fn real(n: usize) -> u16 {
    0x2ff + n as u16
}

/// All of them.
pub(crate) const REAL: &str = "300-303";

/// Virtual devices: the minidisk, the virtual disk in storage, the volume as it is.
pub(crate) const MINIDISK: u16 = 0x200;
pub(crate) const VIRTUAL_DISK: u16 = 0x201;
pub(crate) const DEDICATED: u16 = 0x202;

/// Their statements for USER DIRECT.
pub(crate) fn directory() -> String {
    let of = |n: usize| {
        format!(
            "\nUSER {0} {0} 16M 16M G\n INCLUDE DEFAULT\n MACHINE ESA\n OPTION NOMDCFS\n LINK MAINT 190 190 RR\n \
             MDISK {MINIDISK:03X} 3390 1 {CYLINDERS} {1} MR\n MDISK {VIRTUAL_DISK:03X} FB-512 V-DISK {BLOCKS}\n",
            user(n),
            serial(n)
        )
    };
    (1..=VOLUMES).map(of).collect()
}
