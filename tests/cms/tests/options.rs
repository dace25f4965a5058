//! XEDIT's options: each operand of each is said to SET, in full and as short as it may be, and with a word too many;
//! what EXTRACT, QUERY and RESTORE make of it is compared with `options.txt`.

use cms::seat::Seat;
use cms::system::Site;
use std::fmt::Write;
use tn3270::datastream::Aid;

/// Runs the cases of a file one by one, and writes what came of each.
const MACRO: &str = "\
/* */
address command 'EXECIO * DISKR CASES DATA A (FINIS STEM LISTED.'
do n = 1 to listed.0
  parse var listed.n full '|' ask '|' command '|' back
  'COMMAND PRESERVE'
  before = values()
  code = 0
  if command <> '' then do; 'COMMAND' command; code = rc; end
  after = values()
  'COMMAND QUERY' ask
  'COMMAND EXTRACT /LASTMSG/'
  said = lastmsg.1
  if back <> '' then 'COMMAND' back
  'COMMAND RESTORE'
  out.n = code'|'before'|'after'|'values()'|'said
end
address command 'EXECIO' listed.0 'DISKW RESULT DATA A 1 V (FINIS STEM OUT.'
exit
values:
  'COMMAND EXTRACT /'ask'/'
  if rc <> 0 then return '?'rc
  text = ''
  if \\datatype(value(full'.0'), 'W') then return '?' full
  do k = 1 to value(full'.0'); text = text value(full'.'k); end
  return strip(text)
";

/// A row of `options.txt`.
struct Row {
    level: String,
    name: String,
    command: Vec<String>,
    wanted: String,
    back: String,
    asked: String,
}

fn row(line: &str) -> Row {
    let (given, rest) = line.split_once(" => ").unwrap_or_else(|| panic!("{line} says what it gives"));
    let (rest, asked) = rest.split_once(" / ").unwrap_or((rest, ""));
    let (wanted, back) = rest.split_once(" ; ").unwrap_or((rest, ""));
    let mut words = given.split(' ').map(str::to_owned);
    let level = words.next().unwrap_or_default();
    let command: Vec<String> = words.collect();
    let mut name = command[0].to_uppercase();
    if name == "PF" {
        name += asked;
    }
    Row { level, name, command, wanted: wanted.into(), back: back.into(), asked: asked.into() }
}

/// The word as short as it may be: its capitals, where they are its beginning. Words of small letters are values.
fn short(word: &str) -> String {
    let capitals = word.chars().take_while(|c| c.is_ascii_uppercase()).count();
    let small = word[capitals..].chars().all(|c| c.is_ascii_lowercase());
    if capitals > 0 && small { word[..capitals].to_owned() } else { word.to_owned() }
}

/// Whether the values are those: `*` at the end stands for what else there is.
fn agrees(values: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) if wanted == "*" || start.ends_with(' ') => values.starts_with(start.trim_end()),
        _ => values == wanted,
    }
}

/// A case: the row, what is said, and whether it is to be refused.
struct Case {
    row: usize,
    command: String,
    refused: bool,
}

fn cases(rows: &[Row]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let mut add = |words: String, refused| cases.push(Case { row: n, command: words, refused });
        if row.level == "Q" {
            add(String::new(), false);
            continue;
        }
        let shortest: Vec<String> = row.command.iter().map(|word| short(word)).collect();
        add(format!("SET {}", row.command.join(" ")), false);
        add(format!("SET {}", shortest.join(" ")), false);
        if !row.level.contains('t') {
            add(format!("SET {} )junk", row.command.join(" ")), true);
        }
    }
    cases
}

/// What is wrong with a case's outcome: the return code, the values before, after, and restored, and what QUERY says.
fn wrong(case: &Case, row: &Row, outcome: &str) -> Option<String> {
    let parts: Vec<&str> = outcome.splitn(5, '|').collect();
    let [code, before, after, restored, said] = parts[..] else { return Some(format!("no outcome: {outcome}")) };
    if case.refused {
        return (code == "0" || before != after).then(|| format!("is not refused ({code}): {before} to {after}"));
    }
    if code != "0" {
        return Some(format!("is refused: {code}"));
    }
    if !agrees(after, &row.wanted) {
        return Some(format!("gives {after}, not {}", row.wanted));
    }
    if matches!(row.level.chars().next(), Some('F' | 'V')) && restored != before {
        return Some(format!("RESTORE leaves {restored}, not {before}"));
    }
    let name = row.name.as_str();
    let one = row.asked.is_empty() && !["RING", "LASTMSG", "TABS", "RESERVED", "PENDING"].contains(&name);
    let tells = format!("{name} {after}");
    (one && said.trim_end() != tells.trim_end()).then(|| format!("QUERY says {said}, not {tells}"))
}

#[test]
fn each_operand_of_an_option_acts() {
    let Some(cms) = cms::nucleus() else { return };
    let text = include_str!("options.txt");
    let rows: Vec<Row> = text.lines().filter(|line| !line.starts_with("--")).map(row).collect();
    let cases = cases(&rows);
    let mut lines = String::new();
    for case in &cases {
        let row = &rows[case.row];
        let full = match row.name.as_str() {
            "=" => "EQUALSIGN",
            name => name,
        };
        let asked = match row.name.as_str() {
            name if name.starts_with("PF") => name.to_owned(),
            // TOF is another one.
            "TOFEOF" => "TOFEOF".into(),
            _ => format!("{} {}", short(&row.command[0]), row.asked.trim_end_matches('=')).trim_end().to_owned(),
        };
        writeln!(lines, "{full}|{asked}|{}|{}", case.command, row.back).expect("a text takes it");
    }
    let file = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let user = [("TEXT", "DATA", "A1", file), ("CASES", "DATA", "A1", lines.as_str()), ("OPTS", "XEDIT", "A1", MACRO)];
    let mut seat = Seat::new(Site::new(&cms, &[], &user), 24, 80);
    seat.log_on();
    seat.slices = 10_000_000;
    seat.says("xedit text data");
    seat.says("2");
    seat.says("opts");
    // What is refused is told, screen by screen.
    let most = cases.len();
    for _ in 0..most {
        if !seat.is_guests() {
            seat.presses(Aid::Clear);
        }
    }
    let disk = seat.site.user_disk();
    let outcomes = cms::good(&["get", &disk.to_string_lossy(), "RESULT", "DATA"]);
    let outcomes: Vec<&str> = outcomes.lines().collect();
    assert_eq!(outcomes.len(), cases.len(), "{:#?}", seat.rows());
    let mut report = String::new();
    for (case, outcome) in cases.iter().zip(outcomes) {
        if let Some(why) = wrong(case, &rows[case.row], outcome) {
            writeln!(report, "{} {}: {why}", rows[case.row].name, case.command).expect("a text takes it");
        }
    }
    println!("{} options, {} operands, {} cases", rows.len(), rows.len(), cases.len());
    assert!(report.is_empty(), "{report}");
}
