//! Where we and Regina differ by design, and why.

const PLACES: &str = "TRL: a number is in exponential notation when more than twice DIGITS places follow the point; \
    Regina looks at the size";
const ZEROS: &str = "TRL: zeros at the end go in a division only, and there they do";
const GUARD: &str = "TRL: one digit more than DIGITS takes part; Regina rounds operands or works longer";
const LOGICAL: &str = "TRL: a logical value that isn't 0 or 1 is error 34";
const SYNTAX: &str = "Regina has error numbers of its own for what it cannot read";

const OPERATOR: &str = "TRL: == is one operator, with blanks in it too; Regina takes the first sign for an assignment";
const PARENTHESES: &str =
    "within parentheses a keyword ends nothing: it is a variable, or VALUE may be left out before them";
const REACHED: &str =
    "errors are raised when their clause is reached, and it is the one instruction after THEN all the same";
const NUMBER: &str = "both refuse it; the error has another number";

/// Programs that differ, one by one.
const SINGLE: &[(&str, &str)] = &[
    ("say '['b2x('1 1')']'", "TRL: blanks are only between whole groups of four"),
    ("d2x(281474976710655)", "a number of more than DIGITS digits is an incorrect argument, error 40"),
    ("x2d('FFFFFFFFFFFF", "TRL: a result of more than DIGITS digits is error 40"),
    ("c2d('ffffffff'x)", "TRL: a result of more than DIGITS digits is error 40"),
    ("abs('1E5')", "TRL: as though 0 had been added"),
    ("'1E2',7.30)", "TRL: as though 0 had been added"),
    ("trunc(", "TRL: the number is rounded to DIGITS first, and there is no -0"),
    ("format('12345.73',,,0,0)", "TRL: expp 0 means no exponent"),
    ("format('12345.73',,2,0,0)", "TRL: expp 0 means no exponent"),
    ("format('1.5',,,0,0)", "TRL: expp 0 means no exponent"),
    ("format('1.5',,2,0,0)", "TRL: expp 0 means no exponent"),
    ("format('123.45E-7'", PLACES),
    ("parse numeric", "CMS: PARSE NUMERIC"),
    ("do -1; j=j+1", "a count that is negative isn't a valid whole number, error 26"),
    ("x.='abc'; upper x. y", "UPPER of a stem is found when it is executed, as every error"),
    ("say f(); exit; f: return", "TRL: RETURN without data from a function is error 45"),
    ("signal out; end; out:", "errors are raised when their clause is reached: the loop runs first"),
    ("numeric digits 0", "a whole number that is not valid, error 26"),
    (".x = 5", "TRL: error 31, name starts with number or period"),
    ("do", "errors are raised when their clause is reached: EXIT comes before the end"),
    ("call", "Regina adds what it found"),
    ("signal", "Regina adds what it found"),
    ("arg 'a'x 5 (", "Regina adds what it found"),
    ("say --5", "Regina takes -- for a comment"),
    ("2**70", GUARD),
    ("numeric fuzz 0; say (5 < 5.00001)", GUARD),
    ("if 1 say 2", SYNTAX),
    ("say date('j','20000229'", "VM's DATE has the Julian form; Regina has none"),
    ("say datatype(date('b',,'s'))", "a form without a date is error 40; Regina takes today"),
];

/// Why a line may differ.
fn line_reason(ours: &str, regina: &str) -> Option<&'static str> {
    let exponent = |t: &str| t.contains("E-") || t.contains("E+");
    if ours.contains(" // ") || ours.contains(" ** ") {
        return Some(ZEROS);
    }
    if !exponent(ours.rsplit(' ').next().unwrap_or("")) && regina.contains("E-") {
        return Some(PLACES);
    }
    if ours.contains(" / ") && exponent(regina) {
        return Some(ZEROS);
    }
    None
}

fn clause_reason(program: &str, ours: &str, regina: &str) -> Option<&'static str> {
    if ours.starts_with("error ") && regina.starts_with("error ") {
        return Some(NUMBER);
    }
    if program.contains(" = = 1") && regina == "error 35\n" {
        return Some(OPERATOR);
    }
    if program.contains("(with)") || program.contains("form ('S')") {
        return Some(PARENTHESES);
    }
    (program.starts_with("if ") && regina.starts_with("error ")).then_some(REACHED)
}

/// Why the two may print different things for this program; `None`: they may not.
#[must_use]
pub fn reason(family: &str, program: &str, ours: &str, regina: &str) -> Option<&'static str> {
    if ours == "error 34\n" && regina == "error 41\n" {
        return Some(LOGICAL);
    }
    if regina.starts_with("error 64") && ours.starts_with("error ") {
        return Some(SYNTAX);
    }
    if let Some((_, why)) = SINGLE
        .iter()
        .find(|(p, _)| *p == program || (p.len() > 8 && program.contains(p)) || *p == "trunc(" && program.contains(p))
    {
        return Some(why);
    }
    if family == "clauses" {
        return clause_reason(program, ours, regina);
    }
    if family != "arithmetic" {
        return None;
    }
    if program.contains("**") {
        return Some(if ours.contains('E') == regina.contains('E') { ZEROS } else { PLACES });
    }
    let mut why = None;
    for (a, b) in ours.lines().zip(regina.lines()).filter(|(a, b)| a != b) {
        why = Some(line_reason(a, b)?);
    }
    why
}
