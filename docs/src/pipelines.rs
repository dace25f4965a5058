//! The reference of CMS's pipelines: stages and messages, from what HELP PIPE and HELP FPLxxxnnn show: the tables in
//! `guest/cms/pipe`, and `guest/cms/help`.

use crate::cms;
use description::Description;
use std::fmt::Write;

const TABLES: [&str; 3] = [
    include_str!("../../guest/cms/pipe/table.c"),
    include_str!("../../guest/cms/pipe/filters.c"),
    include_str!("../../guest/cms/pipe/drivers.c"),
];

/// The string literals of a piece of C, in order. One that nothing but blanks separates from the last continues it.
fn literals(text: &str) -> Vec<String> {
    let (mut all, mut one, mut goes_on) = (Vec::<String>::new(), None::<String>, false);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (&mut one, c) {
            (None, '"') => one = Some(if goes_on { all.pop().unwrap_or_default() } else { String::new() }),
            (None, _) => goes_on = goes_on && c.is_whitespace(),
            (Some(_), '"') => {
                all.extend(one.take());
                goes_on = true;
            }
            (Some(string), '\\') => string.extend(characters.next()),
            (Some(string), c) => string.push(c),
        }
    }
    all
}

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
    let strings = literals(row);
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
pub(crate) fn page(description: &Description) -> String {
    let mut page = String::from(
        "# Stages of pipelines\n\n\
         Made by `make docs` from the tables in `guest/cms/pipe` and from `guest/cms/help`; HELP PIPE and a stage's \
         name, and HELP FPLxxxnnn show\n\
         the same text. Capitals are the shortest abbreviation. How stages make a pipeline: \
         [pipelines](../pipelines.md).\n\n## Stages\n",
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
         FPL, the first three letters of the stage that says it (or DSP, MSG, SCA, DSK), the number, and I \
         information, E error, S severe. Dots stand\n\
         for what is put in.\n";
    cms::explain(&mut page, &description.pipe_messages);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use description::least;
    use std::collections::BTreeSet;

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
            assert_eq!((verb.to_ascii_uppercase(), least(verb)), (stage.name.clone(), stage.least), "{syntax}");
            assert!(help.ends_with('.'), "{help}");
        }
    }

    #[test]
    fn strings_of_c_are_read() {
        assert_eq!(literals(r#"{ "A \"b\" \\", 2, f, "" }"#), [r#"A "b" \"#, ""]);
    }
}
