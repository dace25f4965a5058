//! Experiments with users at 3270 terminals.

use super::{picture, value};
use crate::experiment::{Experiment, Way};
use crate::users;

const LOAD: &str = "Users at 3270 terminals in this process by the load FS7E-C: the report's scripts, weights, think \
                    times; compilers are stand-ins. One processor at a clock of the system's own: times are looks at \
                    that clock.";

/// All of them.
pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "fs7e-c",
        title: "The load FS7E-C: what a command asks of CP",
        table: "4",
        how: LOAD,
        way: Way::Runs(users::base),
        shape: &[
            value("closed: ETR (T) x (THINK + LAST) over USERS", 0.75, 1.1),
            value("SIE/CMD", 5.0, 110.0),
            value("DIAG/CMD", 2.0, 50.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "response-users",
        title: "Response time by users",
        table: "4 of \"VM/ESA on P/390 and R/390\"",
        how: LOAD,
        way: Way::Runs(users::response),
        shape: &[value("AVG LAST, all users over a quarter", 2.0, 1e6)],
        pictures: &[picture(users::RESPONSE_BY_USERS, "users", "response time (AVG LAST), s")],
    },
];
