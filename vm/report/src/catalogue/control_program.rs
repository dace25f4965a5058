//! Experiments with CP's scheduler, storage and processors.

use super::{ANY, SOME, picture, ratio, value};
use crate::experiment::{Check, Experiment, Way};
use crate::guests::{self, Contender};
use crate::processors;

const fn contender(share: &'static str, promised: f64) -> Contender {
    Contender { share, promised }
}

const PROMISED: &str = "what SET SHARE promises";
const LOOPS: &str = "Bare guests that loop, one processor.";
const TOUCHING: &str = "Bare guests stand in for users: eight of 16 MB that touch each page in turn; a touch and 2000 \
                        instructions stand for a command. Storage is scaled to that. ITR is touches for a second of \
                        processor time.";
const COUNTING: &str = "Bare guests that count, 2000 instructions a turn.";

const EACH: &[Check] = &[ratio("*", 0.95, 1.05)];

/// All of them.
pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "share-relative",
        title: "Relative shares 1:3",
        table: PROMISED,
        how: LOOPS,
        way: Way::Runs(|site, scale| {
            guests::shares(site, &[contender("relative 100", 25.0), contender("relative 300", 75.0)], scale)
        }),
        shape: EACH,
        pictures: &[],
    },
    Experiment {
        name: "share-three",
        title: "Relative shares 1:2:5",
        table: PROMISED,
        how: LOOPS,
        way: Way::Runs(|site, scale| {
            let contenders =
                [contender("relative 100", 12.5), contender("relative 200", 25.0), contender("relative 500", 62.5)];
            guests::shares(site, &contenders, scale)
        }),
        shape: EACH,
        pictures: &[],
    },
    Experiment {
        name: "share-absolute",
        title: "An absolute share among relative ones",
        table: PROMISED,
        how: LOOPS,
        way: Way::Runs(|site, scale| {
            let contenders =
                [contender("absolute 40%", 40.0), contender("relative 100", 20.0), contender("relative 200", 40.0)];
            guests::shares(site, &contenders, scale)
        }),
        shape: EACH,
        pictures: &[],
    },
    Experiment {
        name: "share-limithard",
        title: "LIMITHARD holds a loop that is alone",
        table: PROMISED,
        how: LOOPS,
        way: Way::Runs(|site, scale| {
            guests::shares(site, &[contender("relative 100 absolute 30% limithard", 30.0)], scale)
        }),
        shape: EACH,
        pictures: &[],
    },
    Experiment {
        name: "share-limitsoft",
        title: "LIMITSOFT leaves a loop that is alone what is over",
        table: PROMISED,
        how: LOOPS,
        way: Way::Runs(|site, scale| {
            guests::shares(site, &[contender("relative 100 absolute 30% limitsoft", 100.0)], scale)
        }),
        shape: EACH,
        pictures: &[],
    },
    Experiment {
        name: "time-slice",
        title: "The minor time slice",
        table: "59 (text)",
        how: COUNTING,
        way: Way::Runs(processors::slices),
        shape: &[value("ITR, 15 ms over 5 ms", 0.95, 1.1), value("dispatches, 15 ms over 5 ms", 0.1, 0.7)],
        pictures: &[picture(processors::SIE_BY_SLICE, "minor time slice, ms", "dispatches in a second")],
    },
    Experiment {
        name: "interactive-bias",
        title: "How soon a new transaction is served beside loops",
        table: "page 11 (text): SET SRM IABIAS",
        how: "Eight bare guests that sleep for 400 ms and wake, beside four that loop; one processor.",
        way: Way::Runs(processors::bias),
        shape: &[
            value("a new transaction is served after, IABIAS on", 0.0, 10.0),
            value("new transactions, IABIAS on", 8.0, ANY),
        ],
        pictures: &[],
    },
    Experiment {
        name: "processors",
        title: "One processor and two",
        table: "31, 32",
        how: COUNTING,
        way: Way::Needs(processors::two, processors::two_ways),
        shape: &[value("ITRR, 2 processors", 1.7, 2.1)],
        pictures: &[],
    },
    Experiment {
        name: "processors-six",
        title: "One processor to six",
        table: "31",
        how: COUNTING,
        way: Way::Needs(processors::six, processors::six_ways),
        shape: &[value("ITRR, 2 processors", 1.7, 2.1), value("ITRR, 6 processors", 4.5, 6.2)],
        pictures: &[picture(processors::ITR_BY_PROCESSORS, "processors", "ITR, of one processor's")],
    },
    Experiment {
        name: "large-system",
        title: "The lock that all processors share, with more and more users",
        table: "the large-system effect of \"IBM 3090: a balanced system\"",
        how: "Bare guests that sleep and wake: all together 5000 times a second, however many they are; two \
              processors.",
        way: Way::Needs(processors::two, processors::large_system),
        shape: &[
            value("processor time of a dispatch, 1000 users over 100", 0.3, 3.0),
            value("found taken, 1000 users", 0.0, 20.0),
            value("taken for a dispatch, 1000 users", SOME, ANY),
        ],
        pictures: &[
            picture(processors::WAIT_BY_USERS, "users", "wait each time the lock is taken, ns"),
            picture(processors::COST_BY_USERS, "users", "processor time of a dispatch, us"),
        ],
    },
    Experiment {
        name: "storage-steps",
        title: "Several amounts of storage",
        table: "34",
        how: TOUCHING,
        way: Way::Runs(guests::storage),
        shape: &[
            value("ITR over the last step's, storage x 0.57", 0.0, 0.6),
            value("ITR over the last step's, storage x 1.00", 0.9, 1.1),
            value("pages moved for 1000 touches, storage x 1.00", 0.0, 1.0),
            value("TVR, storage x 0.57", 1.5, 6.0),
        ],
        pictures: &[
            picture(guests::ITR_BY_STORAGE, "storage, of what holds all pages", "ITR, of the last step's"),
            picture(guests::TVR_BY_STORAGE, "storage, of what holds all pages", "total over virtual processor time"),
        ],
    },
    Experiment {
        name: "expanded-storage",
        title: "Expanded storage beside too little real storage",
        table: "Figure 4 of \"IBM 3090: a balanced system\"",
        how: TOUCHING,
        way: Way::Runs(guests::expanded),
        shape: &[value("pages to and from volumes, as much expanded as real over none", 0.0, 0.5)],
        pictures: &[picture(
            guests::PAGES_BY_EXPANDED,
            "expanded storage, of what holds all pages",
            "pages to and from volumes for 1000 touches",
        )],
    },
    Experiment {
        name: "set-reserved",
        title: "SET RESERVED for a server, off and on",
        table: "62",
        how: TOUCHING,
        way: Way::Runs(guests::reserved),
        shape: &[value("server's pages moved, on over off", 0.0, 0.5), value("ITR, on over off", 1.0, 3.0)],
        pictures: &[],
    },
    Experiment {
        name: "lock-pages",
        title: "LOCK for all pages of a guest, off and on",
        table: "VSE guide, B.7: LOCK; RESERVE is better",
        how: TOUCHING,
        way: Way::Runs(guests::locked),
        shape: &[
            value("pages moved for 1000 touches of the guest, locked", 0.0, 1.0),
            value("its touches, locked over not", 1.0, ANY),
        ],
        pictures: &[],
    },
    Experiment {
        name: "dispatch-buffer",
        title: "SET SRM DSPBUF where storage is short",
        table: "34 (AVG ELIST SIZE)",
        how: TOUCHING,
        way: Way::Runs(guests::buffer),
        shape: &[
            value("AVG ELIST SIZE, DSPBUF 16", 0.0, 0.5),
            value("AVG ELIST SIZE, DSPBUF 4", 2.0, 5.0),
            value("pages moved, DSPBUF 4 over 16", 0.0, 0.9),
        ],
        pictures: &[picture(
            guests::ELIGIBLE_BY_BUFFER,
            "virtual CPUs in the dispatch list at most (DSPBUF)",
            "users in the eligible list",
        )],
    },
    Experiment {
        name: "quick-dispatch",
        title: "QUICKDSP for a user where others wait in the eligible list",
        table: "VSE guide, B.7: QUICKDSP",
        how: TOUCHING,
        way: Way::Runs(guests::quick),
        shape: &[
            value("AVG ELIST SIZE without", 2.0, 5.0),
            value("AVG ELIST SIZE with", 1.0, 3.5),
            value("processor time of the same with QUICKDSP", 15.0, 40.0),
        ],
        pictures: &[],
    },
];
