//! Thousands of small programs, against what is recorded and, where Regina is installed, against Regina.
//!
//! `BLESS=1` records anew (with Regina only): a difference that `reasons` does not know is not recorded but fails.

use std::fs;
use std::path::Path;

use rexx::Case;
use rexx::families::{self, Family};

fn check(family: &Family, interpreter: &Path, folder: &Path, bless: bool) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{}.txt", family.name));
    let programs: Vec<String> = family.programs.iter().map(|p| families::wrap(p)).collect();
    let ours = rexx::run_ours(interpreter, &[], &programs);
    let regina = rexx::has_regina().then(|| rexx::run_regina(folder, &programs));
    let mut complaints = Vec::new();
    if bless {
        let regina = regina.expect("to record, regina-rexx has to be installed");
        let mut cases = Vec::new();
        for ((program, ours), regina) in family.programs.iter().zip(&ours).zip(&regina) {
            let mut case = Case { program: program.clone(), ours: ours.text.clone(), regina: None };
            if ours.text != *regina {
                match rexx::reasons::reason(family.name, program, &ours.text, regina) {
                    Some(why) => case.regina = Some((regina.clone(), why.to_owned())),
                    None => complaints.push(format!("{program}\n  ours:\n{}  regina:\n{}", ours.text, regina)),
                }
            }
            cases.push(case);
        }
        fs::write(&file, rexx::write_cases(&cases)).expect("the repository is writable");
        return complaints;
    }
    let cases = rexx::read_cases(&fs::read_to_string(&file).expect("every family is recorded"));
    assert_eq!(cases.len(), family.programs.len(), "{}: the record has other programs; BLESS=1", family.name);
    for (i, case) in cases.iter().enumerate() {
        assert_eq!(case.program.trim_end(), trimmed(&family.programs[i]), "{}: other programs; BLESS=1", family.name);
        if trimmed(&ours[i].text) != case.ours.trim_end() {
            complaints.push(format!("{}\n  recorded:\n{}  ours:\n{}", case.program, case.ours, ours[i].text));
        }
        if let Some(regina) = &regina {
            let recorded = case.regina.as_ref().map_or(&case.ours, |(text, _)| text);
            if trimmed(&regina[i]) != recorded.trim_end() {
                complaints.push(format!("{}\n  recorded:\n{recorded}  regina:\n{}", case.program, regina[i]));
            }
        }
    }
    complaints
}

/// Records have no blanks at the ends of their lines.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn programs_print_what_regina_prints() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreter = rexx::build(folder, "rexx", &["-O1"]);
    let bless = std::env::var_os("BLESS").is_some();
    let mut complaints = Vec::new();
    let mut programs = 0;
    for family in families::all() {
        programs += family.programs.len();
        complaints
            .extend(check(&family, &interpreter, folder, bless).into_iter().map(|c| format!("{}: {c}", family.name)));
    }
    rexx::forget(&interpreter);
    let shown: Vec<&String> = complaints.iter().take(400).collect();
    assert!(
        complaints.is_empty(),
        "{} of {programs} programs\n{}",
        complaints.len(),
        shown.iter().map(|c| c.as_str()).collect::<Vec<_>>().join("\n")
    );
    assert!(programs >= 2000, "only {programs} programs");
}
