//! What "VM/ESA Release 1.1 Performance Report" has counted of commands and execs: the only place for these numbers.
//! Experiments print them beside ours, and tests of CMS hold it to them.

/// What one command costs in appendix A, minidisks: VM/ESA 1.1, a virtual machine in XA mode.
#[derive(Clone, Copy)]
pub struct Counted {
    /// Instructions executed.
    pub instructions: u64,
    /// Privileged instructions, and pages of the machine's own that it refers to for the first time.
    pub special: u64,
    /// Pages of its own.
    pub own: u64,
    /// Shared pages.
    pub shared: u64,
}

/// A command of appendix A.
pub struct Traced {
    /// Its name there.
    pub name: &'static str,
    /// What is typed.
    pub typed: &'static str,
    /// What must be shown then.
    pub shows: &'static [&'static str],
    /// What it costs.
    pub report: Counted,
    /// Instructions in a virtual machine in XC mode.
    pub xc: u64,
}

const fn traced(
    name: &'static str,
    typed: &'static str,
    shows: &'static [&'static str],
    [instructions, special, own, shared]: [u64; 4],
    xc: u64,
) -> Traced {
    Traced { name, typed, shows, report: Counted { instructions, special, own, shared }, xc }
}

/// The twenty-five commands, in the report's order.
#[rustfmt::skip]
pub const COMMANDS: &[Traced] = &[
    traced("SET",      "set imsg off", &["Ready;"], [10454, 80, 23, 44], 10503),
    traced("ACCESS",   "access 295 c", &["C (295) R/O", "Ready;"], [19907, 124, 22, 60], 20018),
    traced("COPY",     "copyfile master script a master file a", &["Ready;"], [29902, 113, 32, 51], 30041),
    traced("COMPARE",  "compare master script a master file a", &["Comparing MASTER SCRIPT A", "Ready;"],
        [66970, 570, 24, 44], 67131),
    traced("RENAME",   "rename master file a test script a (updirt", &["Ready;"], [22743, 87, 28, 50], 22805),
    traced("LISTFILE", "listfile test script a (label", &["TEST     SCRIPT   A1 V", "CMS191", "Ready;"],
        [12132, 106, 26, 42], 12176),
    traced("XEDIT",    "xedit test script a", &["TEST     SCRIPT   A1  V", "Line 8 of"], [77016, 157, 46, 82], 77147),
    traced("XXXX",     "xxxx", &["No such subcommand: xxxx"], [31527, 98, 27, 71], 31614),
    traced("LOCATE",   "locate /EXECUTION", &["Line=40", "Line 39 of a EXECUTION"], [50105, 77, 24, 44], 50143),
    traced("CHANGE",   "change /EXECUTION/DEFINITION", &["Line 39 of a DEFINITION"], [20985, 79, 25, 55], 21028),
    traced("NEXT",     "next 2", &["Line=42"], [37838, 76, 23, 42], 37876),
    traced("INPUT",    "input", &["This is an input test line.", "Line=43", "Size=121"], [102873, 149, 29, 63], 102974),
    traced("DELETE",   "delete 1", &["Size=120"], [27902, 77, 24, 45], 27940),
    traced("FILE",     "file", &["Ready;"], [63623, 140, 38, 77], 63758),
    traced("ERASE",    "erase test script a", &["Ready;"], [16880, 87, 28, 48], 16940),
    traced("EXEC2",    "exec2 x y (all", &["DONE 40 x y", "Ready;"], [66683, 701, 18, 37], 67134),
    traced("QUERY",    "query disk", &["CMS191 191  A", "CMS190 295  C", "Ready;"], [24585, 239, 23, 51], 24695),
    traced("FILEDEF",  "filedef in reader", &["Ready;"], [7998, 78, 23, 33], 8026),
    traced("PRINT",    "print master script a", &["Ready;"], [50943, 94, 27, 56], 51024),
    traced("ASSEMBLE", "assemble br14", &["NO STATEMENTS FLAGGED", "Ready;"], [374318, 1236, 101, 77], 377076),
    traced("LOAD",     "load br14", &["Ready;"], [21617, 129, 42, 57], 21834),
    traced("GENMOD",   "genmod br14", &["Ready;"], [15722, 107, 35, 48], 15849),
    traced("BR14",     "br14", &["Ready;"], [14164, 91, 25, 49], 14292),
    traced("REXREX",   "rexrex x y (all", &["5050 x y", "Ready;"], [72656, 234, 21, 49], 72838),
    traced("SPKA",     "spka", &["Ready;"], [63094, 352, 39, 65], 63402),
];

/// What the execs of a task cost, without a pipeline and with one: Tables 49 to 51.
#[derive(Clone, Copy)]
pub struct Task {
    /// Its number; a letter tells several ways apart.
    pub number: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Instructions.
    pub instructions: [u64; 2],
    /// Pages of the machine's own.
    pub own: [u64; 2],
    /// Shared pages.
    pub shared: [u64; 2],
    /// Privileged instructions.
    pub privileged: [u64; 2],
    /// Processor time, in milliseconds.
    pub time: [f64; 2],
}

const fn task(
    number: &'static str,
    what: &'static str,
    instructions: [u64; 2],
    [own, shared, privileged]: [[u64; 2]; 3],
    time: [f64; 2],
) -> Task {
    Task { number, what, instructions, own, shared, privileged, time }
}

/// The twelve tasks, three of them with two ways. A way that the report has once stands with both.
#[rustfmt::skip]
pub const TASKS: &[Task] = &[
    task("1", "a file of 30 records into a stem",
        [66_669, 97_878], [[37, 34], [61, 81], [331, 467]], [54.050, 77.594]),
    task("2", "QUERY NAMES into a stem",
        [25_698, 35_325], [[37, 31], [62, 73], [151, 199]], [21.995, 28.779]),
    task("3", "QUERY DISK into a stem",
        [71_014, 62_412], [[32, 30], [79, 96], [264, 339]], [55.868, 50.355]),
    task("4", "a file of one line",
        [29_787, 44_247], [[42, 41], [64, 78], [168, 233]], [26.960, 36.311]),
    task("5", "the mode letter of a disk",
        [94_381, 73_658], [[38, 31], [89, 104], [276, 305]], [73.220, 56.908]),
    task("6", "a file of 30 records, typed",
        [170_180, 94_569], [[38, 32], [63, 78], [901, 730]], [136.745, 67.830]),
    task("7", "users disconnected",
        [55_887, 53_294], [[38, 32], [66, 83], [195, 192]], [44.084, 39.076]),
    task("8a", "names, some typed, some into a file; line by line",
        [765_756, 144_829], [[46, 45], [71, 89], [1726, 364]], [569.688, 102.707]),
    task("8b", "the same, the file as a whole",
        [487_359, 144_829], [[47, 45], [68, 89], [608, 364]], [376.928, 102.707]),
    task("9a", "a part of a file, by an XEDIT macro",
        [133_664, 57_500], [[56, 31], [129, 78], [443, 229]], [109.796, 43.242]),
    task("9b", "the same by EXECIO",
        [82_850, 57_500], [[38, 31], [74, 78], [380, 229]], [64.090, 43.242]),
    task("10a", "a part of some records, by a filter in REXX",
        [790_902, 167_672], [[75, 49], [147, 108], [1826, 760]], [594.933, 124.929]),
    task("10b", "the same, the filter selects as well",
        [790_902, 293_284], [[75, 49], [147, 108], [1826, 1342]], [594.933, 218.153]),
    task("11", "30 cards into a stem",
        [64_777, 97_729], [[37, 32], [62, 79], [358, 375]], [53.963, 74.791]),
    task("12", "columns of 30 cards into a file",
        [290_388, 99_837], [[44, 44], [67, 84], [629, 236]], [230.169, 76.370]),
];

/// Of tasks with two ways the report's mean has the better: those that are not in it.
pub const WORSE: [&str; 3] = ["8a", "9a", "10b"];

/// The command of this name.
///
/// # Panics
///
/// If there is none.
pub fn command(name: &str) -> &'static Traced {
    COMMANDS.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("appendix A has no {name}"))
}

/// The task of this number.
///
/// # Panics
///
/// If there is none.
pub fn the_task(number: &str) -> &'static Task {
    TASKS.iter().find(|one| one.number == number).unwrap_or_else(|| panic!("Table 49 has no task {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums that the report prints tell a digit that was copied wrong.
    #[test]
    fn sums_are_those_of_the_report() {
        let sum = |of: fn(&Traced) -> u64| COMMANDS.iter().map(of).sum::<u64>();
        assert_eq!(sum(|one| one.report.instructions), 1_302_637);
        assert_eq!(sum(|one| one.xc), 1_308_264);
        assert_eq!(sum(|one| one.report.special), 5_281);
        assert_eq!((sum(|one| one.report.own), sum(|one| one.report.shared)), (773, 1_340));
        let best = || TASKS.iter().filter(|one| !WORSE.contains(&one.number));
        let mean = |of: fn(&Task) -> [u64; 2], n: usize| best().map(|one| of(one)[n]).sum::<u64>() / 12;
        assert_eq!([0, 1].map(|n| mean(|one| one.instructions, n)), [185_824, 85_745]);
        assert_eq!([0, 1].map(|n| mean(|one| one.privileged, n)), [507, 369]);
        // Of pages it has the rounded means, 42 and 36.
        assert_eq!([0, 1].map(|n| best().map(|one| one.own[n]).sum::<u64>()), [503, 432]);
        let time = [0, 1].map(|n| best().map(|one| one.time[n]).sum::<f64>() / 12.0);
        assert!((time[0] - 144.417).abs() < 0.01 && (time[1] - 64.907).abs() < 0.01, "{time:?}");
    }
}
