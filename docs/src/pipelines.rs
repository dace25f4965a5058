//! The reference of CMS's pipelines: stages and messages, from what HELP PIPE and HELP FPLxxxnnn show: the tables in
//! `guest/cms/pipe`, and `guest/cms/help`.

use crate::cms;
use std::fmt::Write;

const TABLES: [&str; 3] = [
    include_str!("../../guest/cms/pipe/table.c"),
    include_str!("../../guest/cms/pipe/filters.c"),
    include_str!("../../guest/cms/pipe/drivers.c"),
];
const REPOSITORY: &str = include_str!("../../guest/cms/pipe/messages.c");
const MESSAGES: &str = include_str!("../../guest/cms/help/pipemsgs.txt");

/// A row of a table of stages.
struct Stage {
    name: String,
    /// How many letters of it must be typed.
    least: usize,
    function: String,
    placing: String,
    /// Syntax and help; another name of a stage has none.
    explained: Option<(String, String)>,
}

/// `{ "NAME", least, function, placing, syntax, help, 0 }`; its strings may begin the next line.
fn stage(row: &str) -> Stage {
    let strings = cms::literals(row);
    let behind_name = row.splitn(3, '"').nth(2).expect("it begins with a name");
    let words: Vec<&str> = behind_name.splitn(5, ',').map(str::trim).collect();
    Stage {
        name: strings[0].clone(),
        least: words[1].parse().expect("the second word is a number"),
        function: words[2].to_owned(),
        placing: words[3].to_owned(),
        explained: strings.get(1).map(|syntax| (syntax.clone(), strings[2].clone())),
    }
}

/// Those of all tables that can be typed, in the order of their names.
fn stages() -> Vec<Stage> {
    let mut all = Vec::new();
    for table in TABLES {
        let (_, rows) = table.split_once("[] = {").expect("there is a table");
        let (rows, _) = rows.split_once("\n};").expect("it ends");
        all.extend(rows.split("\n    { ").skip(1).map(stage));
    }
    all.retain(|stage| !stage.name.contains('+'));
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# Stages of pipelines\n\n\
         Made by `make docs` from the tables in `guest/cms/pipe` and from `guest/cms/help`; HELP PIPE and a stage's name, and HELP FPLxxxnnn show\n\
         the same text. Capitals are the shortest abbreviation. How stages make a pipeline: [pipelines](../pipelines.md).\n\n## Stages\n",
    );
    let stages = stages();
    for stage in &stages {
        let Some((syntax, help)) = &stage.explained else { continue };
        let _ = write!(page, "\n### {}\n\n`{syntax}`\n\n{help}\n", stage.name.replace('<', "\\<").replace('>', "\\>"));
        match stage.placing.as_str() {
            "ONLY_FIRST" => page += "\nIt must be the first stage of its pipeline.\n",
            "NOT_FIRST" => page += "\nIt cannot be the first stage of its pipeline.\n",
            _ => (),
        }
        let short = |stage: &Stage| format!("`{}`", &stage.name[..stage.least]);
        let also: Vec<String> = stages
            .iter()
            .filter(|other| other.explained.is_none() && other.function == stage.function)
            .map(|other| {
                if other.least < other.name.len() {
                    format!("`{}` (shortest {})", other.name, short(other))
                } else {
                    short(other)
                }
            })
            .collect();
        let _ = write!(page, "\nShortest form: {}.", short(stage));
        let _ = writeln!(
            page,
            "{}",
            if also.is_empty() { String::new() } else { format!(" Other names: {}.", also.join(", ")) }
        );
    }
    page += "\n## Messages\n\n\
         FPL, the first three letters of the stage that says it (or DSP, MSG, SCA, DSK), the number, and I information, E error, S severe. Dots stand\n\
         for what is put in.\n";
    cms::explain(&mut page, &cms::messages(REPOSITORY), MESSAGES);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_stage_is_explained_once() {
        let stages = stages();
        assert!(stages.len() > 120, "{}", stages.len());
        let names: BTreeSet<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        assert_eq!(names.len(), stages.len(), "no name twice");
        assert!(["<", "LOCATE", "DISKSLOW", "CONSOLE"].iter().all(|name| names.contains(name)));
        let explained: BTreeSet<&str> =
            stages.iter().filter(|stage| stage.explained.is_some()).map(|stage| stage.function.as_str()).collect();
        for stage in &stages {
            assert!(explained.contains(stage.function.as_str()), "{}", stage.name);
        }
    }

    /// What the syntax shows as the shortest form is what is enough.
    #[test]
    fn capitals_are_the_shortest_form() {
        for stage in stages() {
            let Some((syntax, help)) = &stage.explained else { continue };
            let verb = syntax.split(' ').next().unwrap_or_default();
            let capitals = verb.chars().take_while(|c| !c.is_ascii_lowercase()).count();
            assert_eq!((verb.to_ascii_uppercase(), capitals), (stage.name.clone(), stage.least), "{syntax}");
            assert!(help.ends_with('.'), "{help}");
        }
    }

    #[test]
    fn help_explains_every_message_and_no_other() {
        cms::tests::explains_every_message(REPOSITORY, MESSAGES);
        cms::tests::fits_the_terminal(MESSAGES);
    }

    /// The numbers in the arguments behind the first one of each call of `function`, up to the end of the second.
    fn said_by(source: &str, function: &str) -> Vec<u32> {
        let name = format!("{function}(");
        let calls = source.split(&name).skip(1);
        let second = calls
            .filter_map(|call| call.split_once(", "))
            .map(|(_, rest)| rest.split([',', ')', ';']).next().unwrap_or_default());
        second.flat_map(|words| words.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn what_stages_say_is_in_the_repository() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/cms/pipe");
        let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        let said: BTreeSet<u32> = files
            .flat_map(|source| {
                ["stage_error", "stage_say", "pipe_say", "wrong"].map(|function| said_by(&source, function)).concat()
            })
            .collect();
        let known: BTreeSet<u32> = cms::messages(REPOSITORY).into_iter().map(|(number, _)| number).collect();
        assert_eq!(said, known);
    }
}
