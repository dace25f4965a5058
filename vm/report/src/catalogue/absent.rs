//! Experiments of the reports that cannot be run, and why.

use crate::experiment::{Experiment, Way};

const fn absent(name: &'static str, title: &'static str, table: &'static str, why: &'static str) -> Experiment {
    Experiment { name, title, table, how: "", way: Way::Not(why), shape: &[], pictures: &[] }
}

const POOLS: &str = "waits for file pools";
const VSE: &str = "needs VSE as a guest; fast-path-minidisk, minidisk-cache and virtual-disk have a bare guest instead";

/// All of them.
pub(super) const ALL: &[Experiment] = &[
    absent("preferred-guests", "V=R and V=V guests", "24, 28", "there are no preferred guests (V=R, V=F)"),
    absent("partitions", "A guest in a logical partition", "29", "there are no logical partitions"),
    absent("mvs-batch", "MVS as a guest: CB84", "24", "needs MVS as a guest"),
    absent("vse-batch", "VSE as a guest: PACEX8", "25 to 28", VSE),
    absent("vse-dispatcher", "VSE's Turbo Dispatcher", "VSE note, 1 and 7", VSE),
    absent("vse-cache", "VSE's OPTI-CACHE against the minidisk cache", "VSE note, 3", VSE),
    absent("isfc", "ISFC by a channel and by LANs", "55 to 57", "there is no ISFC, and no APPC/VM"),
    absent("interrupt-poll", "SET IPOLL", "53, 54", "its users are GCS, AVS and VSCS, which are not there"),
    absent(
        "office",
        "The office benchmark IOB, and MSGFLAGS",
        "23, 63",
        "needs servers for mail, calendar and directory; the report has weights of scripts, and not what passes \
         between users and servers",
    ),
    absent(
        "cms-370",
        "CMS in 370 mode against XA mode",
        "20, 21, Appendix A",
        "CMS is an ESA/390 program here; cms-modes has XA and XC mode",
    ),
    absent(
        "expanded-minidisk-cache",
        "Expanded storage for the minidisk cache",
        "59, 60",
        "the minidisk cache lies in the host's storage, and uses no expanded storage",
    ),
    absent(
        "paging-formats",
        "Paging volumes in ECKD and in CKD format",
        "58",
        "CP's paging uses no channel programs; channel-programs has both kinds for a guest",
    ),
    absent(
        "host-cache",
        "The host's file cache, small and large",
        "2 of \"VM/ESA on P/390 and R/390\"",
        "the size of the host's file cache is not this program's to set; write-policy has what is",
    ),
    absent("sfs", "Files in file pools and on minidisks", "14 to 17", POOLS),
    absent("sfs-data-spaces", "File pools in data spaces", "35 to 38", POOLS),
    absent("sfs-server", "Where a file pool's server waits", "61", POOLS),
    absent("sfs-counters", "Counters of a file pool for a command", "Appendix B", POOLS),
];
