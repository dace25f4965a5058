//! Experiments with disks.

use super::{ANY, picture, ratio, value};
use crate::disks;
use crate::experiment::{Experiment, Way};

const AT_ONCE: &str = "A bare guest that reads 4096 bytes at places chosen by chance, with 1000 instructions between; \
                       disks take no time.";
const TIMED: &str = "A bare guest that reads 4096 bytes at places chosen by chance; disks take as long as 3390s at a \
                     3990-3 (SET TIMING ON).";

/// All of them.
pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "fast-path-minidisk",
        title: "The fast path for channel programs of a minidisk, off and on",
        table: "30",
        how: AT_ONCE,
        way: Way::Runs(|site, scale| disks::fast_path(site, scale, false)),
        shape: &[
            value("ITR, fast path over none", 1.02, 3.0),
            value("on the fast path, IOASSIST off", 0.0, 0.0),
            value("on the fast path, IOASSIST on", 99.0, 101.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "fast-path-dedicated",
        title: "The fast path for channel programs of a dedicated volume, off and on",
        table: "30",
        how: AT_ONCE,
        way: Way::Runs(|site, scale| disks::fast_path(site, scale, true)),
        shape: &[
            value("ITR, fast path over none", 1.02, 3.0),
            value("on the fast path, IOASSIST off", 0.0, 0.0),
            value("on the fast path, IOASSIST on", 99.0, 101.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "channel-programs",
        title: "Channel programs that locate a record, and that search for it",
        table: "VSE guide, 2: the fast path for ECKD",
        how: AT_ONCE,
        way: Way::Runs(disks::styles),
        shape: &[value("ITR, search over locate", 0.3, 1.5), value("on the fast path, locate", 99.0, 101.0)],
        pictures: &[],
    },
    Experiment {
        name: "minidisk-cache",
        title: "The minidisk cache",
        table: "VSE guide, E.10",
        how: TIMED,
        way: Way::Runs(disks::minidisk_cache),
        shape: &[
            ratio("DASD I/Os, cache of 5 MB over none", 0.7, 1.3),
            ratio("DASD I/Os, cache of 7 MB over none", 0.6, 1.4),
            value("elapsed time, 5 MB over none", 0.4, 0.95),
            value("elapsed time, 7 MB over none", 0.2, 0.75),
        ],
        pictures: &[picture(
            disks::IO_BY_CACHE,
            "minidisk cache, MB of 14 that are read",
            "DASD I/Os, of those without",
        )],
    },
    Experiment {
        name: "cache-hits",
        title: "A record from the disk, from the control unit's cache and from the minidisk cache",
        table: "VSE guide, E.11",
        how: TIMED,
        way: Way::Runs(disks::hits),
        shape: &[
            value("control unit's cache over minidisk cache", 3.0, ANY),
            value("disk over control unit's cache", 1.5, 100.0),
            value("an I/O, from the control unit's cache", 0.5, 4.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "virtual-disk",
        title: "A virtual disk in storage, and a real one",
        table: "VSE guide, D.3",
        how: TIMED,
        way: Way::Runs(disks::virtual_disk),
        shape: &[
            value("elapsed time, virtual disk over real", 0.0, 0.6),
            value("processor time, virtual disk over real", 0.0, 1.7),
        ],
        pictures: &[],
    },
    Experiment {
        name: "fast-write",
        title: "DASD fast write, off and on",
        table: "45",
        how: "As the others, but it writes: among 30 tracks, so that the control unit's storage has them.",
        way: Way::Runs(disks::fast_write),
        shape: &[value("Resp, on over off", 0.0, 0.5)],
        pictures: &[],
    },
    Experiment {
        name: "control-unit-cache",
        title: "The control unit's cache for reads, off and on",
        table: "40",
        how: TIMED,
        way: Way::Runs(disks::control_unit),
        shape: &[value("Resp, on over off", 0.0, 0.6)],
        pictures: &[],
    },
    Experiment {
        name: "channel-paths",
        title: "One channel path for one volume to four, and four paths",
        table: "the path's part of the service time in \"IBM 3090: a balanced system\"",
        how: TIMED,
        way: Way::Runs(disks::paths),
        shape: &[
            value("Resp of one path, 4 volumes over 1", 1.0, 3.0),
            value("Resp of 4 volumes, four paths over one", 0.3, 1.0),
        ],
        pictures: &[picture(disks::RESPONSE_BY_GUESTS, "volumes busy on one path", "response of an I/O, ms")],
    },
    Experiment {
        name: "write-policy",
        title: "How soon the host has what is written",
        table: "lazy writes of \"VM/ESA on P/390 and R/390\"",
        how: "A bare guest that writes 4096 bytes at places chosen by chance; disks take no time but the host's.",
        way: Way::Runs(disks::policies),
        shape: &[value("writes, LAZY over THROUGH", 1.0, ANY)],
        pictures: &[],
    },
];
