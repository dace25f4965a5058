//! Experiments with commands, execs and pipelines of CMS.

use super::{ratio, value};
use crate::commands::{self, Figure};
use crate::experiment::{Experiment, Way};
use crate::pipelines;

const COMMANDS: &str = "A saved CMS at a line-mode terminal; one machine; TRACE COUNT. The report's files are not \
                        known: MASTER SCRIPT has 120 lines here.";
const EXECS: &str = "A saved CMS, one machine; TRACE COUNT. The tasks of one line, on a file of 30 lines.";
const KEPT: &str = "A saved CMS, one machine; TRACE COUNT, and CP's count of I/O.";

/// All of them.
pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "cms-instructions",
        title: "Instructions of CMS commands",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Runs(|site, _| commands::run(site, Figure::Instructions)),
        shape: &[ratio("all", 0.0, 1.0)],
        pictures: &[],
    },
    Experiment {
        name: "cms-special",
        title: "Special operations of CMS commands",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Runs(|site, _| commands::run(site, Figure::Special)),
        shape: &[ratio("all", 0.1, 1.5)],
        pictures: &[],
    },
    Experiment {
        name: "cms-own-pages",
        title: "Pages of their own that CMS commands refer to",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Runs(|site, _| commands::run(site, Figure::OwnPages)),
        shape: &[ratio("all", 0.0, 1.0)],
        pictures: &[],
    },
    Experiment {
        name: "cms-shared-pages",
        title: "Shared pages that CMS commands refer to",
        table: "Appendix A",
        how: COMMANDS,
        way: Way::Runs(|site, _| commands::run(site, Figure::SharedPages)),
        shape: &[ratio("all", 0.5, 1.2)],
        pictures: &[],
    },
    Experiment {
        name: "cms-modes",
        title: "CMS commands in XC mode and in XA mode",
        table: "Appendix A; 20 has the processor time",
        how: COMMANDS,
        way: Way::Runs(|site, _| commands::modes(site)),
        shape: &[value("all in XC mode over XA mode", 0.97, 1.03)],
        pictures: &[],
    },
    Experiment {
        name: "cms-machine-size",
        title: "A command in virtual machines of two sizes",
        table: "18",
        how: "A saved CMS at a line-mode terminal; TRACE COUNT; LISTFILE. The report had 2 MB and 4 MB.",
        way: Way::Runs(|site, _| commands::sizes(site)),
        shape: &[
            value("instructions, twice the storage over once", 0.97, 1.03),
            value("own pages, twice the storage over once", 0.9, 1.1),
        ],
        pictures: &[],
    },
    Experiment {
        name: "cms-preloaded",
        title: "An exec and a module in storage, and on disk",
        table: "59 (text): segments that are loaded before",
        how: KEPT,
        way: Way::Runs(|site, _| commands::preloaded(site)),
        shape: &[
            value("an exec: instructions, in storage over on disk", 0.1, 1.0),
            value("a module: instructions, in storage over on disk", 0.1, 1.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "cms-directories",
        title: "ACCESS with the directory in a saved segment, and on disk",
        table: "35 (SAVEFD)",
        how: KEPT,
        way: Way::Runs(|site, _| commands::directories(site)),
        shape: &[
            value("instructions, in a segment over on disk", 0.0, 0.9),
            value("I/O, in a segment over on disk", 0.0, 0.9),
        ],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-instructions",
        title: "Pipelines against EXECIO: instructions",
        table: "49",
        how: EXECS,
        way: Way::Runs(|site, _| pipelines::run(site, Figure::Instructions)),
        shape: &[
            value("6: a file of 30 records, typed: pipeline over exec", 0.0, 0.8),
            value("4: a file of one line: pipeline over exec", 1.0, 2.0),
            ratio("all: pipeline over exec", 0.7, 1.3),
        ],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-own-pages",
        title: "Pipelines against EXECIO: pages of the machine's own",
        table: "50",
        how: EXECS,
        way: Way::Runs(|site, _| pipelines::run(site, Figure::OwnPages)),
        shape: &[ratio("all: pipeline over exec", 0.8, 1.2)],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-shared-pages",
        title: "Pipelines against EXECIO: shared pages",
        table: "50",
        how: EXECS,
        way: Way::Runs(|site, _| pipelines::run(site, Figure::SharedPages)),
        shape: &[ratio("all: pipeline over exec", 0.8, 1.2)],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-privileged",
        title: "Pipelines against EXECIO: privileged instructions",
        table: "51",
        how: EXECS,
        way: Way::Runs(|site, _| pipelines::run(site, Figure::Privileged)),
        shape: &[ratio("all: pipeline over exec", 0.5, 1.5)],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-time",
        title: "Pipelines against EXECIO: processor time",
        table: "49",
        how: "A saved CMS, one machine; each exec a hundred times. Times are of this host: only ratios are compared.",
        way: Way::Runs(|site, _| pipelines::times(site)),
        shape: &[
            value("6: a file of 30 records, typed: pipeline over exec", 0.0, 1.0),
            ratio("all: pipeline over exec", 0.5, 2.0),
        ],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-throughput",
        title: "Throughput of execs and of pipelines",
        table: "52",
        how: "A saved CMS, one machine that enters the tasks of one line again and again, without think time. The \
              report had 3000 users and all twelve tasks: those of one line are the short ones, where beginning a \
              pipeline weighs most.",
        way: Way::Runs(|site, _| pipelines::mixed(site)),
        shape: &[value("ITR, pipelines over execs", 0.95, 1.6)],
        pictures: &[],
    },
    Experiment {
        name: "pipelines-segment",
        title: "Pages of a pipeline, with its program in a saved segment and without",
        table: "48, 50",
        how: "A saved CMS, one machine; TRACE COUNT. A machine whose own storage is where the segment would be has the \
              program in its own storage.",
        way: Way::Runs(|site, _| commands::segment(site)),
        shape: &[value("own pages, in its segment over without", 0.3, 0.95)],
        pictures: &[],
    },
    Experiment {
        name: "users",
        title: "What a command costs with many users",
        table: "31",
        how: "Users of CMS at line-mode terminals in this process, one processor, all at once and without think time; \
              LISTFILE. The report had six processors for most users and one for fewest.",
        way: Way::Runs(commands::users),
        shape: &[value("PBT/CMD of all over a tenth", 0.7, 1.3)],
        pictures: &[],
    },
];
