//! Clauses whose parts are left out, made from a small grammar: what may be omitted where, what ends a clause, which
//! words are keywords where. Many of the programs are in error on purpose: that one error is raised is what they show.

/// What may stand where an assignment's expression is, with what may follow the clause.
const OMITTED: &[&str] = &["", " ", "/* c */", " /* c */ /* d */", " /* c\n d */", ",\n", ";", ";;", " ; nop"];
const GIVEN: &[&str] = &["''", "5", "(5)", "\\1", "-5", "'41'x", "''x", ",\n5", "b", "= 1", "(", ")", "()", "5)", ","];

const TARGETS: &[&str] =
    &["a", "a.", "a.1", "a.b", "a.b.c", "a.1.", "a..", "?x", "@a", "a_b", "#", "$", "!", "if", "say", "do"];

/// What the targets hold afterwards.
const SHOWN: &str = "say '['a'|'||a.||'|'a.1'|'||a.b||'|'?x'|'@a'|'a_b'|'#'|'$'|'!'|'if'|'say'|'do']'";

fn assignments() -> Vec<String> {
    let mut all = Vec::new();
    for target in TARGETS {
        for equals in ["=", " ="] {
            for rest in OMITTED {
                all.push(format!("{target}{equals}{rest}\n{SHOWN}"));
            }
        }
        for rest in GIVEN {
            all.push(format!("{target} = {rest}\n{SHOWN}"));
        }
    }
    // Where clauses with nothing after the equals sign may stand.
    for place in [
        "if 1 then a=; else a=1; say '['a']'",
        "if 0 then a=1; else a=; say '['a']'",
        "if 1 then a=\nelse a=1\nsay '['a']'",
        "select; when 1 then a=; otherwise a=1; end; say '['a']'",
        "select; when 0 then a=1; otherwise a=; end; say '['a']'",
        "do i=1 to 2; a=; b.i=; end; say '['a']['b.1']['b.2']'",
        "a=; b=; c=; say '['a']['||b||']['c']'",
        "a=\na.=\nsay '['a']['a.7']'",
        "x: a=; say '['a']'",
        "interpret 'a='; say '['a']'",
        "interpret 'a=;b=2'; say '['a']' b",
        "signal on novalue; a=; say '['a']'; exit; novalue: say 'none'",
        "a=; say symbol('A') length(a)",
        "a.=1; a.2=; say a.1 '['a.2']'",
        "a=5; call p; say '['a']'; exit; p: procedure expose a; a=; return",
    ] {
        all.push(place.to_owned());
    }
    all
}

/// Keywords with the parts that may follow them.
const PARTS: &[(&str, &[&str])] = &[
    ("say", &["", "1", "x y", "(1)", "'' ''", ")", "1,2", "+"]),
    ("exit", &["", "3", "x", "1+1", "(", "1)"]),
    ("return", &["", "3", "x", "1+1", "(", "1)"]),
    ("nop", &["", "1", ";"]),
    ("push", &["", "''", "a b", "(", ",", "'a' 'b'"]),
    ("queue", &["", "''", "a b", "(", ",", "'a' 'b'"]),
    ("drop", &["", "a", "a b", "a.", "a.1", "(a)", "1", "'a'", "a,b", "a=1"]),
    ("arg", &["", "a", ".", "a b", "a,b", ",b", "a 'x' b", "(", "1", "+1 a", "=1 a"]),
    ("pull", &["", "a", ".", "a b", "a 'x' b"]),
    ("parse arg", &["", "a", ".", "a,b", ",b", ",,c"]),
    ("parse upper arg", &["", "a", "a,b"]),
    ("parse value", &["", "with", "with a", "1 with", "1 2 with a b", "'' with a", "1", "1 with 2 a", "(with) with a"]),
    ("parse var", &["", "a", "a b", "a.1 b", "a. b", "'a' b", "1 b"]),
    ("numeric digits", &["", "5", "2+3", "'7'", "5.0", "5.5", "-1", "0"]),
    ("numeric fuzz", &["", "1", "8", "9", "-1"]),
    (
        "numeric form",
        &["", "scientific", "engineering", "value 'E'", "('S')", "ENG", "'engineering'", "5", "value", "scientific x"],
    ),
    ("numeric", &["", "x"]),
    ("trace", &["", "o", "'o'", "off", "value 'n'", "('o')", "z"]),
    ("address", &["", "value 'x'", "'x'", "x"]),
    ("signal on", &["", "syntax", "x", "syntax name", "novalue x"]),
    ("signal off", &["", "syntax", "x", "syntax name y"]),
    ("call on", &["", "error", "syntax", "halt name"]),
    ("interpret", &["", "''", "'say 5'", "'a='", "'say 1;'"]),
    (
        "do",
        &[
            "to 3",
            "by 2",
            "for 3",
            "while",
            "until",
            "forever 1",
            "i=",
            "i=1 to",
            "i=1 by",
            "i=1 for",
            "i=to",
            "i=1 to by 2",
        ],
    ),
    (
        "do",
        &[
            "i=1 to 1",
            "1",
            "forever",
            "while 1",
            "until 1",
            "i=1",
            "i=1 by 1",
            "i=1 for 1",
            "i=1 to 1 by 1 for 1",
            "(1)",
            "1+0",
        ],
    ),
    (
        "do",
        &[
            "forever while 1",
            "forever until 1",
            "1 while 1",
            "i=1 while i<2",
            "i=1 to 1 until 1",
            "while to=4",
            "until by=5",
        ],
    ),
];

fn instructions() -> Vec<String> {
    let mut all = Vec::new();
    for (keyword, parts) in PARTS {
        for part in *parts {
            for end in ["", " /* c */", ";", ",\n"] {
                let body = if *keyword == "do" { "\nsay i; leave; end" } else { "" };
                all.push(format!(
                    "to=4; by=5; i='-'; a='q'; {keyword} {part}{end}{body}\n\
                     say 'after' a b queued() digits() fuzz() form()"
                ));
            }
        }
    }
    all
}

fn calls() -> Vec<String> {
    let mut all = Vec::new();
    for arguments in
        ["", "1", "1,", "1,,", ",", ",,", ",2", ",,3", "1,2", "1,,3", "'',''", "1 2, 3", "(1),(2)", "1,,,4", "(", ")"]
    {
        all.push(format!(
            "call f {arguments}\nexit\nf: say arg() '['arg(1)']['arg(2)']' arg(1,'e') arg(2,'o') arg(3,'e'); return"
        ));
        all.push(format!(
            "say f({arguments})\nexit\nf: return arg() '['arg(1)']['arg(2)']' arg(1,'e') arg(2,'o') arg(3,'e')"
        ));
    }
    all
}

fn branches() -> Vec<String> {
    let mut all = Vec::new();
    for condition in ["1", "0", "(1)", "then", "", "1,\n"] {
        for then in [" then", "\nthen", ";then", ";;\nthen"] {
            for consequence in
                [" say 1", "\nsay 1", " nop;; else say 2", " nop\n\nelse say 2", ";else say 2", " do; end; else; say 2"]
            {
                all.push(format!("if {condition}{then}{consequence}\nsay 'after'"));
            }
        }
        for arms in [
            "when {} then say 1; otherwise say 2",
            "when {} then nop; otherwise",
            "when {}\nthen\nsay 1\notherwise\nsay 2",
            "when {} then; otherwise say 2",
            "when {} then say 1",
            ";; when {} then say 1;; when 1 then say 2",
        ] {
            all.push(format!("select; {}; end; say 'after'", arms.replace("{}", condition)));
        }
    }
    all
}

/// Clauses in error that are not come to, each where one instruction is wanted.
fn passed_over() -> Vec<String> {
    let mut all = Vec::new();
    for bad in
        ["say (", "x=)", "call", "else", "do i=", "1x=2", "drop", "leave", "then", "end", "say 1 }", "numeric x", "}"]
    {
        for frame in [
            "if 0 then {}\nelse say 2\nsay 3",
            "if 0 then {}\nsay 3",
            "if 1 then nop; else {}\nsay 3",
            "if 0 then if 1 then {}\nelse say 2\nelse say 4\nsay 3",
            "if 1 then {}\nelse say 2\nsay 3",
        ] {
            all.push(frame.replace("{}", bad));
        }
    }
    all
}

/// All of them.
#[must_use]
pub fn clauses() -> Vec<String> {
    [assignments(), instructions(), calls(), branches(), passed_over()].concat()
}
