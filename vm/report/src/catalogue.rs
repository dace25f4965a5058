//! The experiments, as data.

use crate::commands::Figure;
use crate::experiment::{Check, Experiment, Of, Way};
use crate::guests::Contender;

const fn ratio(row: &'static str, least: f64, most: f64) -> Check {
    Check { row, least, most, of: Of::Ratio }
}

const fn value(row: &'static str, least: f64, most: f64) -> Check {
    Check { row, least, most, of: Of::Value }
}

const fn contender(share: &'static str, promised: f64) -> Contender {
    Contender { share, promised }
}

const COMMANDS: &str = "A saved CMS at a line-mode terminal; one machine; TRACE COUNT. The report's files are not \
                        known: MASTER SCRIPT has 120 lines here.";
const EXECS: &str = "A saved CMS, one machine; TRACE COUNT. The tasks of one line, on a file of 30 lines.";
const LOOPS: &str = "Bare guests that loop, one processor.";
const TOUCHING: &str = "Bare guests stand in for users: eight of 16 MB that touch each page in turn; a touch and 2000 \
                        instructions stand for a command. Storage is scaled to that. ITR is touches for a second of \
                        processor time.";

const EACH: &[Check] = &[ratio("*", 0.95, 1.05)];

/// All experiments, in the order of a report.
pub const CATALOGUE: &[Experiment] = &[
    Experiment {
        name: "cms-instructions",
        title: "Instructions of CMS commands",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Commands(Figure::Instructions),
        shape: &[ratio("all", 0.0, 1.0)],
    },
    Experiment {
        name: "cms-own-pages",
        title: "Pages of their own that CMS commands refer to",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Commands(Figure::OwnPages),
        shape: &[ratio("all", 0.0, 1.0)],
    },
    Experiment {
        name: "cms-shared-pages",
        title: "Shared pages that CMS commands refer to",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Commands(Figure::SharedPages),
        shape: &[ratio("all", 0.5, 1.2)],
    },
    Experiment {
        name: "pipelines-instructions",
        title: "Pipelines against EXECIO: instructions",
        table: "49",
        how: EXECS,
        way: Way::Pipelines(Figure::Instructions),
        shape: &[
            value("6: a file, typed: pipeline over exec", 0.0, 0.8),
            value("4: a file of one line: pipeline over exec", 1.0, 2.0),
            ratio("all: pipeline over exec", 0.7, 1.3),
        ],
    },
    Experiment {
        name: "pipelines-own-pages",
        title: "Pipelines against EXECIO: pages of the machine's own",
        table: "50",
        how: EXECS,
        way: Way::Pipelines(Figure::OwnPages),
        shape: &[ratio("all: pipeline over exec", 0.8, 1.2)],
    },
    Experiment {
        name: "pipelines-shared-pages",
        title: "Pipelines against EXECIO: shared pages",
        table: "50",
        how: EXECS,
        way: Way::Pipelines(Figure::SharedPages),
        shape: &[ratio("all: pipeline over exec", 0.8, 1.2)],
    },
    Experiment {
        name: "share-relative",
        title: "Relative shares 1:3",
        table: "what SET SHARE promises",
        how: LOOPS,
        way: Way::Shares(&[contender("relative 100", 25.0), contender("relative 300", 75.0)]),
        shape: EACH,
    },
    Experiment {
        name: "share-three",
        title: "Relative shares 1:2:5",
        table: "what SET SHARE promises",
        how: LOOPS,
        way: Way::Shares(&[
            contender("relative 100", 12.5),
            contender("relative 200", 25.0),
            contender("relative 500", 62.5),
        ]),
        shape: EACH,
    },
    Experiment {
        name: "share-absolute",
        title: "An absolute share among relative ones",
        table: "what SET SHARE promises",
        how: LOOPS,
        way: Way::Shares(&[
            contender("absolute 40%", 40.0),
            contender("relative 100", 20.0),
            contender("relative 200", 40.0),
        ]),
        shape: EACH,
    },
    Experiment {
        name: "share-limithard",
        title: "LIMITHARD holds a loop that is alone",
        table: "what SET SHARE promises",
        how: LOOPS,
        way: Way::Shares(&[contender("relative 100 absolute 30% limithard", 30.0)]),
        shape: EACH,
    },
    Experiment {
        name: "share-limitsoft",
        title: "LIMITSOFT leaves a loop that is alone what is over",
        table: "what SET SHARE promises",
        how: LOOPS,
        way: Way::Shares(&[contender("relative 100 absolute 30% limitsoft", 100.0)]),
        shape: EACH,
    },
    Experiment {
        name: "storage-steps",
        title: "Several amounts of storage",
        table: "34",
        how: TOUCHING,
        way: Way::Storage,
        shape: &[
            value("ITR, storage x 0.57", 0.0, 0.6),
            value("ITR, storage x 1.00", 0.9, 1.1),
            value("pages moved for 1000 touches, storage x 1.00", 0.0, 1.0),
            value("TVR, storage x 0.57", 1.5, 6.0),
        ],
    },
    Experiment {
        name: "set-reserved",
        title: "SET RESERVED for a server, off and on",
        table: "62",
        how: TOUCHING,
        way: Way::Reserved,
        shape: &[value("server's pages moved, on over off", 0.0, 0.5), value("ITR, on over off", 1.0, 3.0)],
    },
    Experiment {
        name: "users",
        title: "What a command costs with many users",
        table: "31",
        how: "Users of CMS at line-mode terminals in this process, one processor, all at once and without think time; \
              LISTFILE. The report had six processors for most users and one for fewest.",
        way: Way::Users,
        shape: &[value("PBT/CMD of all over a tenth", 0.7, 1.3)],
    },
];

/// The experiments of these names, or all; an error names one that there is not.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, String> {
    if let Some(name) = names.iter().find(|name| CATALOGUE.iter().all(|one| one.name != name.as_str())) {
        return Err(format!("there is no experiment {name}: \"endicott report --list\" has their names"));
    }
    Ok(CATALOGUE.iter().filter(|one| names.is_empty() || names.iter().any(|name| name == one.name)).collect())
}
