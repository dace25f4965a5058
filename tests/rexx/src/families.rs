//! Families of small programs, made from tables: every built-in function over arguments that matter, every operator
//! over numbers that matter, every form of the instructions. The order is fixed, so recorded results stay beside their
//! programs.

/// A family: its name, and its programs without the trap for errors around them ([`wrap`]).
pub struct Family {
    /// The family's name, which is that of its file.
    pub name: &'static str,
    /// The programs.
    pub programs: Vec<String>,
}

/// A program as it is run: an error is shown by its number.
#[must_use]
pub fn wrap(body: &str) -> String {
    format!("signal on syntax\n{body}\nexit\nsyntax: say 'error' rc\n")
}

/// All tuples of one of each.
fn product(lists: &[&[&str]]) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        all = all
            .iter()
            .flat_map(|front: &Vec<String>| {
                list.iter().map(move |word| {
                    let mut longer = front.clone();
                    longer.push((*word).to_owned());
                    longer
                })
            })
            .collect();
    }
    all
}

/// `say` of a call with every tuple of arguments.
fn calls(name: &str, lists: &[&[&str]]) -> Vec<String> {
    product(lists).iter().map(|arguments| format!("say '['{name}({})']'", arguments.join(","))).collect()
}

const WORDS: &[&str] = &["''", "'abc'", "' a  bc d '", "'Hello, World'"];

fn strings() -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |name: &str, lists: &[&[&str]]| all.extend(calls(name, lists));
    add("abbrev", &[&["'PRINT'", "''", "'PR'"], &["'PRI'", "'PRY'", "''", "'PRINTER'"], &["", "0", "2", "4"]]);
    for name in ["left", "right", "center", "centre"] {
        add(name, &[WORDS, &["0", "2", "8", "13"]]);
        add(name, &[&["'abc'"], &["6", "'x'", "-1", "1.5", "2.0"], &["'-'", "''", "'ab'"]]);
    }
    add("compare", &[&["'abc'", "''", "'ab '"], &["'abc'", "'abd'", "'ab'", "'abcd'"]]);
    add("compare", &[&["'ab-- '", "'ab'"], &["'ab'", "'ab-'"], &["'-'", "'x'"]]);
    add("copies", &[WORDS, &["0", "1", "3"]]);
    add("copies", &[&["'ab'"], &["-1", "'a'", ""]]);
    add("delstr", &[WORDS, &["1", "3", "20"], &["", "0", "2", "30"]]);
    add("delstr", &[&["'abc'"], &["0", "-1"]]);
    add("insert", &[&["'--'", "''"], &["'abc'", "''"], &["", "0", "2", "5"], &["", "0", "4"]]);
    add("insert", &[&["'x'"], &["'abc'"], &["5"], &["3"], &["'*'", "''"]]);
    add("overlay", &[&["'--'", "''"], &["'abcd'", "''"], &["", "1", "3", "6"], &["", "0", "4"]]);
    add("overlay", &[&["'x'"], &["'abc'"], &["0", "6"], &["3"], &["'*'", "'**'"]]);
    add("lastpos", &[&["'a'", "'an'", "''", "'x'"], &["'banana'", "''", "'a'"], &["", "1", "4", "9"]]);
    add("pos", &[&["'a'", "'an'", "''", "'x'"], &["'banana'", "''", "'a'"], &["", "1", "4", "9"]]);
    add("pos", &[&["'a'"], &["'banana'"], &["0", "'x'"]]);
    add("index", &[&["'banana'", "''"], &["'an'", "'z'", "''"], &["", "3"]]);
    add("length", &[&["''", "'abc'", "12.50", "1E5", "'  '"]]);
    add("reverse", &[WORDS]);
    add("strip", &[&["'  ab c  '", "'--ab--'", "''", "'   '"], &["", "'L'", "'t'", "'Both'", "'x'"], &["", "'-'"]]);
    add("substr", &[WORDS, &["1", "3", "14"], &["", "0", "2", "6"]]);
    add("substr", &[&["'abc'"], &["2", "5", "0"], &["6", ""], &["'*'", "'ab'"]]);
    add("translate", &[&["'abcdef'", "''", "'Abc,12'"], &["", "'12'", "''"], &["", "'abcd'", "'ec'"], &["", "'*'"]]);
    add("translate", &[&["'4321'"], &["'abcd'"], &["'1234'", "'1214'"]]);
    add("verify", &[&["'12a4'", "''", "'1234'"], &["'1234567890'", "''"], &["", "'N'", "'Match'", "'q'"]]);
    add("verify", &[&["'1P3Q4'"], &["'1234567890'"], &["", "'m'"], &["2", "3", "9"]]);
    add("xrange", &[&["'a'", "'f'"], &["'f'", "'i'"]]);
    add("length", &[&["xrange()", "xrange('00'x)", "xrange(,'7F'x)", "xrange('FE'x,'02'x)"]]);
    all.push("say c2x(xrange('FA'x,'03'x))".to_owned());
    all
}

fn words() -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |name: &str, lists: &[&[&str]]| all.extend(calls(name, lists));
    const PHRASES: &[&str] = &["'Now is the  time'", "''", "'  one '", "'a b  c   d'"];
    add("delword", &[PHRASES, &["1", "2", "5"], &["", "0", "1", "3"]]);
    add("find", &[&["'now is the time'", "''"], &["'is the'", "'is   the'", "''", "'the is'", "'time '"]]);
    add("space", &[PHRASES, &["", "0", "1", "3"], &["", "'*'"]]);
    add("space", &[&["'a b'"], &["-1", "1"], &["''", "'xx'"]]);
    add("subword", &[PHRASES, &["1", "2", "5"], &["", "0", "1", "3"]]);
    add("word", &[PHRASES, &["1", "3", "9"]]);
    add("wordindex", &[PHRASES, &["1", "3", "9"]]);
    add("wordlength", &[PHRASES, &["1", "3", "9"]]);
    add("wordpos", &[&["'the'", "'is the'", "'is  the'", "''", "'The'"], PHRASES, &["", "1", "3"]]);
    add("words", &[PHRASES]);
    add("word", &[&["'a'"], &["0", "'x'", "1.5", ""]]);
    all
}

fn conversions() -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |name: &str, lists: &[&[&str]]| all.extend(calls(name, lists));
    add("b2x", &[&["'11000011'", "'10111'", "'101'", "'1 1111 0000'", "''", "'2'", "'1 1'", "' 1'"]]);
    add("x2b", &[&["'C3'", "'7'", "'1 C1'", "''", "'G'", "'f 0f'"]]);
    add("c2x", &[&["'abc'", "''", "'0123'x", "1"]]);
    add("x2c", &[&["'4865 6c6C 6f'", "'F'", "''", "'4 48'", "'4G'"]]);
    add("c2x", &[&["x2c('F')", "x2c('')", "d2c(1)", "d2c(0)", "d2c(256)", "d2c(-1,2)", "d2c(257,1)", "d2c(5,0)"]]);
    add("c2d", &[&["'09'x", "'81'x", "'FF81'x", "''", "'a'", "'00000001'x"], &["", "0", "1", "2", "4"]]);
    add("x2d", &[&["'0E'", "'81'", "'F81'", "'FF81'", "'c6 f0'", "''"], &["", "0", "1", "2", "3", "4", "8"]]);
    add("d2x", &[&["9", "129", "-129", "0", "127", "65535"], &["", "0", "1", "2", "4"]]);
    add("d2x", &[&["1.5", "'a'", "-1", "12.0", "1E3"]]);
    add("c2x", &[&["bitand('73'x,'27'x)", "bitor('15'x,'24'x)", "bitxor('12'x,'22'x)", "bitand('13'x)"]]);
    add(
        "c2x",
        &[&["bitand('13'x,'5555'x)", "bitor('1555'x,'24'x,'40'x)", "bitxor('1111'x,'444444'x,'40'x)", "bitor('','')"]],
    );
    add("c2x", &[&["bitxor('C711'x,'222222'x,' ')", "bitand('pQrS',,'DF'x)", "bitor('ab')", "bitand('1'x,'1'x,'11')"]]);
    let digits = ["20", "30", "9", "3"];
    for digit in digits {
        for call in ["x2d('FFFFFFFFFFFF')", "c2d('ffffffff'x)", "x2d('FFFFFFFFFFFF',12)", "d2x(281474976710655)"] {
            all.push(format!("numeric digits {digit}; say {call}"));
        }
    }
    for kind in ["", "A", "B", "L", "M", "N", "S", "U", "W", "X", "Z"] {
        for value in
            ["''", "'abc'", "'ABC'", "'aB1'", "12", "'1.5'", "' 5 '", "'1E3'", "'0101'", "'0f'", "'a.b'", "'10 1'"]
        {
            let kind = if kind.is_empty() { String::new() } else { format!(",'{kind}'") };
            all.push(format!("say datatype({value}{kind})"));
        }
    }
    all
}

fn numbers() -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |name: &str, lists: &[&[&str]]| all.extend(calls(name, lists));
    const VALUES: &[&str] = &["0", "12.3", "'-0.307'", "'12345.678'", "'1E5'", "'x'", "''", "'1.50'"];
    add("abs", &[VALUES]);
    add("sign", &[VALUES]);
    add("trunc", &[VALUES, &["", "0", "2", "5"]]);
    add("trunc", &[&["'-0.4'", "127.09782", "'-5.999'", "123456789.9", "'5E10'"], &["", "1", "3"]]);
    add("format", &[&["'3'", "'1.73'", "'-.76'", "'3.03'", "'12345.73'", "0", "'9.999'"], &["", "4"], &["", "0", "3"]]);
    add("format", &[&["'12345.73'", "'1.5'"], &[""], &["", "2"], &["2", "0", "3"], &["2", "0", "3", "10"]]);
    add("format", &[&["'1.234567E5'", "'123.45E-7'"], &[""], &["", "3"], &["", "2"], &["0", "3"]]);
    add("format", &[&["123"], &["1", "2", "3"]]);
    add("max", &[&["12", "'-7'", "1.5"], &["6", "'1E2'"], &["", "7.30"]]);
    add("min", &[&["12", "'-7'", "1.5"], &["6", "'1E2'"], &["", "7.30"]]);
    add("max", &[&["1", "'a'"]]);
    for function in ["digits()", "form()", "fuzz()", "random(5,5)", "random(3,1)", "datatype(random(),'W')"] {
        all.push(format!("say {function}"));
    }
    all.push("numeric digits 20; numeric fuzz 3; numeric form engineering; say digits() fuzz() form()".to_owned());
    all.push("numeric digits 5; say abs(123456) max(123456,1) trunc(123456)".to_owned());
    all
}

const NUMBERS: &[&str] =
    &["0", "1", "-1", "2", "7", "10", "0.5", "-7.25", "1.50", "100", "123456789", "999999999", "1E3", "3.0", "007"];

/// Operators beside one another, and the ways to write numbers, strings, comments and symbols.
const EXPRESSIONS: &[&str] = &[
    "\\1",
    "\\0",
    "\\2",
    "-'5'",
    "+' 07 '",
    "-'x'",
    "--5",
    "-2**2",
    "2**3**2",
    "1+2*3-4",
    "(1+2)*3",
    "10-2-3",
    "2*3%4//5",
    "1||2+3",
    "1 2",
    "1 'a'2",
    "'a'||'b' 'c'",
    "1=1=1",
    "\\1=0",
    "1|0&0",
    "5//3*2",
    "-3//2",
    "-7%2",
    "1/3",
    "2/3",
    "1/7*7",
    "1E9+1",
    "1E-9",
    "0.1+0.2",
    "12E-2*100",
    "1000000*1000000",
    "123456789*987654321",
    "'1 2'",
    "1.0*1.0",
    "100/3",
    "8/4",
    "1e2e2",
    "'12'x",
    "'1100 0001'b",
    "'4142'X",
    "''x",
    "\"it's\"",
    "'it''s'",
    "'a' /* c */ 'b'",
    "'a'/* c */'b'",
    "5 = 5.0 & 'a' = 'a '",
    "'a' > 'b' | 1",
    "a.b.c",
    "a.1.",
    ".5 + 1",
    "5. + 1",
    "1..2",
    "?x _y @z #w $v !u",
];

fn arithmetic() -> Vec<String> {
    let mut all = Vec::new();
    for op in ["+", "-", "*", "/", "%", "//"] {
        for a in NUMBERS {
            let row: Vec<String> = NUMBERS.iter().map(|b| format!("'{b}'")).collect();
            // One program a row: each operation has its own trap.
            all.push(format!(
                "a = '{a}'\nb. = ''\n{}\ndo i = 1 to {}; call one a, b.i; end\nexit\none: procedure\nparse arg a, b\n\
                 signal on syntax name bad\nsay a '{op}' b '=' (a {op} b)\nreturn\nbad: say a '{op}' b 'error' rc\n\
                 return",
                row.iter().enumerate().map(|(i, b)| format!("b.{} = {b}", i + 1)).collect::<Vec<_>>().join("; "),
                row.len()
            ));
        }
    }
    for base in ["2", "10", "-3", "1.5", "0", "0.1", "1.10"] {
        for exponent in ["0", "1", "2", "5", "10", "-1", "-2", "1.5", "2.0"] {
            // Regina never ends when 0 is divided by in a power.
            if base != "0" || !exponent.starts_with('-') {
                all.push(format!("say ('{base}') ** ('{exponent}')"));
            }
        }
    }
    for op in [
        "=", "<", ">", "<=", ">=", "\\=", "<>", "><", "\\<", "\\>", "==", "\\==", "<<", ">>", "<<=", ">>=", "\\<<",
        "\\>>",
    ] {
        for (a, b) in [
            ("1", "1.0"),
            (" 1", "1"),
            ("abc", "abc "),
            ("abc", "ABD"),
            ("2", "10"),
            ("-1", "1"),
            ("", " "),
            ("1E2", "100"),
            ("a", "1"),
            ("123456789", "123456788"),
        ] {
            all.push(format!("say ('{a}' {op} '{b}')"));
        }
    }
    for op in ["&", "|", "&&"] {
        for a in ["0", "1", "2"] {
            for b in ["0", "1", "'x'"] {
                all.push(format!("say ({a} {op} {b})"));
            }
        }
    }
    for text in EXPRESSIONS {
        all.push(format!("say {text}"));
    }
    for digits in ["1", "3", "5", "12", "18", "25", "40"] {
        for text in
            ["1/3", "2/3", "123456789+1", "1/7", "99999/7", "12345678901234567890*3", "2**70", "7.5%2", "7.5//2"]
        {
            all.push(format!("numeric digits {digits}; say {text}"));
        }
    }
    for form in ["scientific", "engineering"] {
        for text in ["1E5*1E5", "12345678*123456789", "1.5E-20*1", "1E20/3", "123E100*1", "-5E-30*3"] {
            all.push(format!("numeric form {form}; say {text}"));
        }
    }
    for fuzz in ["0", "1", "3"] {
        for text in ["123456789 = 123456788", "1.00000001 = 1", "5 < 5.00001", "999 = 1000", "1234 > 1235"] {
            all.push(format!("numeric digits 5; numeric fuzz {fuzz}; say ({text})"));
        }
    }
    all
}

fn parsing() -> Vec<String> {
    let mut all = Vec::new();
    let subjects = ["abc def ghi", "  a  b   c  ", "", "one", "12/34/56", "k=v,w=x", "ABCDEFGHIJ"];
    let templates = [
        "a",
        "a b",
        "a b c",
        "a . c",
        ". b",
        "a '/' b",
        "a '/' b '/' c",
        "a ',' b '=' c",
        "a 4 b",
        "a 3 b 6 c",
        "4 a 1 b",
        "a +3 b",
        "2 a +2 b +2 c",
        "5 a -2 b",
        "a '=' b +2 c",
        "a '' b",
        "1 a 1 b",
        "a =4 b",
        "20 a",
        "a 20 b",
        "a 3",
        "'/' a b",
        "a b 5 c",
        "3 a b +4 c 2 . b2",
        "a 0 b",
    ];
    for subject in subjects {
        for template in templates {
            all.push(format!(
                "a='-'; b='-'; c='-'; b2='-'\nparse value '{subject}' with {template}\nsay '['a']['b']['c']['b2']'"
            ));
        }
    }
    for more in [
        "p='/'; parse value 'a/b/c' with x (p) y; say x'|'y",
        "p='/'; parse value 'a/b/c' with p 2 x (p) y; say x'|'y",
        "n=3; parse value 'abcdef' with x =(n) y; say x'|'y",
        "n=2; parse value 'abcdef' with x +(n) y -(n) z; say x'|'y'|'z",
        "parse upper value 'aBc dEf' with x y; say x'|'y",
        "x='aB c'; parse var x y z; say y'|'z",
        "x='a b c'; parse var x x rest; say x'|'rest",
        "parse value 1+2 with x; say x",
        "parse value with x y; say '['x']['y']'",
        "parse numeric x; say x",
        "numeric digits 12; numeric form engineering; numeric fuzz 2; parse numeric x y z; say x y z",
        "push 'Mixed Case'; pull x y; say x'|'y",
        "queue 'one'; queue 'two'; push 'zero'; say queued(); parse pull a; parse pull b; parse pull c; say a b c \
         queued()",
        "push 'a b'; parse upper pull x; say x",
        "call s 'a b', 'c', , 'd'; exit; s: arg w x, y, z, v; say w'|'x'|'y'|'z'|'v arg() arg(3,'o') arg(4,'e'); \
         return",
        "call s 'a b', 'C'; exit; s: parse arg x 2 y, z; say x'|'y'|'z arg(1) arg(2) arg(9); return",
        "call s; exit; s: parse arg x; say '['x']' arg() arg(1,'e') arg(1,'o'); return",
        "parse value 'a.b.c' with x '.' y '.' z '.' w; say x y z '['w']'",
        "parse value 'abc' with x 2 y 3 z 4 w; say x y z '['w']'",
        "s.=0; parse value '1 2 3' with s.1 s.2 s.x; say s.1 s.2 s.x",
        "parse value 'x y' with 'q' a; say '['a']'",
        "parse value 'a,b', 'c' with x, y; say '['x']['y']'",
        "parse value 'key: value' with k ':' v; say '['k']['v']'",
        "parse value 'key: value' with k ': ' v; say '['k']['v']'",
        "parse value 'aXbXc' with a 'X' +0 b; say a b",
        "parse value 'aXbXc' with a 'X' b 'X' -1 c; say a b c",
        "parse value 'abcdefgh' with 3 a 5 3 b 7 c; say a b c",
    ] {
        all.push(more.to_owned());
    }
    all
}

/// What stands after DO.
const HEADERS: &[&str] = &[
    "i=1 to 3",
    "i=3 to 1",
    "i=3 to 1 by -1",
    "i=1 to 2 by 0.5",
    "i=1 by 2 for 3",
    "i=1 for 0",
    "3",
    "0",
    "2.0",
    "-1",
    "'x'",
    "i=1 to 5 while i<3",
    "i=1 to 5 until i>=3",
    "i=1 to 10 by 3 for 2",
    "i='a' to 3",
    "i=1 to 'b'",
    "i=1.5 to 3",
    "i=-2 to 2 by 2",
    "i=1 while i<4",
    "i=1 until i=3",
    "while j<2",
    "until j>=2",
    "i=1 to 1e1 by 4",
    "i=5 to 5",
    "2 while j<1",
    "3 until j=2",
    "i=1 by 1 to 2 for 9",
    "i=1 for 2 to 9 by 3",
    "i=0.1 to 0.35 by 0.1",
];

/// Loops, branches, calls, signals, compound variables, and what is wrong in a clause.
const BODIES: &[&str] = &[
    "do i=1 to 5; if i=2 then iterate; if i=4 then leave; say i; end; say 'i' i",
    "do i=1 to 3; do j=1 to 3; if j=2 then iterate i; say i j; end j; end i",
    "do i=1 to 3; do j=1 to 3; if i*j=4 then leave i; say i j; end; end; say i j",
    "do forever; n=1; leave; end; say n",
    "do; say 1; say 2; end",
    "i=0; do until i>2; i=i+1; if i=2 then iterate; say i; end",
    "do i=1 to 3; i=i+1; say i; end; say i",
    "do a.1=1 to 3; say a.1; end; say a.1",
    "k=2; do a.k=1 to 3; if a.k=2 then leave a.k; end; say a.2",
    "leave",
    "iterate",
    "do i=1 to 2; leave j; end",
    "do i=1 to 2; end j",
    "if 1 then say 'y'; else say 'n'",
    "if 0 then say 'y'; else say 'n'",
    "if 0 then say 'y'; else if 1 then say 'm'; else say 'n'",
    "if 1 then if 0 then say 'a'; else say 'b'",
    "if 1 then do; say 1; end; else do; say 2; end",
    "if 1 then nop; else say 'n'; say 'after'",
    "if 'x' then say 1",
    "if 2=2 then\nsay 'next line'\nelse\nsay 'no'",
    "if 1\nthen\nsay 'then below'",
    "select; when 0 then say 'a'; when 1 then say 'b'; otherwise say 'c'; end",
    "select; when 0 then say 'a'; otherwise say 'c'; say 'd'; end",
    "select; when 0 then say 'a'; otherwise; end; say 'none'",
    "select; when 0 then say 'a'; end",
    "select\nwhen 1 then do; say 1; end\nwhen 1 then say 2\nend\nsay 'done'",
    "select; when 'q' then say 'a'; otherwise nop; end",
    "call s 1,2; say result; exit; s: return arg(1)+arg(2)",
    "call s; say result; exit; s: result=5; return",
    "say f(3) f(4); exit; f: procedure; arg n; if n<2 then return 1; return n*f(n-1)",
    "x=1; call p; say x y; exit; p: procedure; x=2; y=3; return",
    "x=1; call p; say x y; exit; p: procedure expose x; x=2; y=3; return",
    "x.1=1; x.2=2; call p; say x.1 x.2; exit; p: procedure expose x.; x.1='a'; drop x.2; return",
    "x.1=1; x.2=2; call p; say x.1 x.2; exit; p: procedure expose x.1; x.1='a'; x.2='b'; return",
    "l='x y'; x=1; y=2; z=3; call p; say x y z; exit; p: procedure expose (l); x='a'; y='b'; z='c'; return",
    "j=1; x.1=7; call p; say x.1; exit; p: procedure expose j x.j; say x.j; x.j=8; return",
    "f=5; say f(1); exit; f: return arg(1) 'called' f",
    "say f(); exit; f: return",
    "signal there; say 'no'; there: say 'yes' sigl",
    "signal value 'THE'||'RE'; say 'no'; there: say 'yes'",
    "signal nowhere",
    "do i=1 to 3; signal out; end; out: say i; end",
    "a: say 'a'; signal b; b: say 'b'",
    "signal on novalue; say x; exit; novalue: say 'novalue' condition('d') sigl",
    "signal on novalue name nv; say x.1; exit; nv: say condition('c') condition('i') condition('s')",
    "signal on novalue; x=1; drop x; y=x; exit; novalue: say 'dropped'",
    "signal off syntax; signal on syntax name mine; x=1/0; exit; mine: say 'mine' rc",
    "call on error; say condition('c')'.'; exit; error: return",
    "interpret 'say 1; say 2'",
    "interpret 'x=5'; say x",
    "x='say'; interpret x '3+4'",
    "interpret 'do i=1 to 2; say i; end'",
    "interpret 'do i=1 to 2'",
    "do i=1 to 3; interpret 'if i=2 then say two'; end",
    "interpret 'say 1/0'",
    "interpret \"interpret 'say nested'\"",
    "f: procedure; say 'fell into'",
    "x='a b'; upper x; say x",
    "x.='abc'; upper x. y; say x.1",
    "x=1; drop x; say x symbol('x')",
    "x=1; y=2; l='x y'; drop (l); say x y",
    "x.=5; x.1=6; drop x.1; say x.1 x.2",
    "x.1=6; x.=5; say x.1",
    "x.a=1; a=2; x.a=3; say x.2 x.a; drop a; say x.a",
    "x.1.2='t'; i=1; j=2; say x.i.j x.i.3",
    "x.='d'; x.4='f'; drop x.; say x.4 x.5",
    "k='a b'; x.k='blank'; say x.k",
    "k='lower'; x.k=1; say x.lower x.k symbol('x.k')",
    "say symbol('x') symbol('1a') symbol('a+') symbol('x.y'); x=1; say symbol('x')",
    "say value('x') value('x',5) x value('a.b',3) a.b",
    "say value('1') value('a+')",
    "numeric digits 0",
    "numeric digits 'a'",
    "numeric fuzz 9",
    "numeric form value 'e'; say form()",
    "numeric form x",
    "numeric digits 3; call s; say digits(); exit; s: numeric digits 20; return",
    "say arg() arg(1)",
    "exit 5",
    "return 7",
    "say 'a'; exit; say 'b'",
    "nop; say 'x'",
    "options 'ETMODE'; say 1",
    "say sourceline() > 0",
    "say sourceline(2)",
    "say errortext(41)'.' errortext(6)'.' errortext(40)",
    "say address()'.' <> ''",
    "trace o; say trace(); say trace('n') trace()",
    "say condition()'.'",
    "a = 1;b = 2;; ; say a b",
    "say 'a',\n'b'",
    "say 'a' ||,\n'b'",
    "/* /* nested */ */ say 1",
    "say /* x */ 2",
    "x = 1 /* tail */\nsay x",
    "label:\nsay 'l'",
    "if 1 then label2: say 'x'",
    "say 'unclosed",
    "say (1",
    "say 1)",
    "say 1 +",
    "x = ",
    "1x = 5",
    ".x = 5",
    "say 'a'x",
    "say '2'b",
    "say f(1",
    "do i=1 to; end",
    "else say 1",
    "then say 1",
    "when 1 then say 1",
    "otherwise",
    "end",
    "if 1",
    "if 1 say 2",
    "do",
    "select; say 1; end",
    "call",
    "signal",
    "signal on nothing",
    "numeric nothing",
    "parse nothing x",
    "drop",
    "procedure",
    "trace q",
    "say 1,2",
    "address",
    "leave 5",
    "do i=1 to 2 to 3; end",
    "do while 1 until 1; end",
    "parse value 'a' x",
    "arg 'a'x 5 (",
    "x = (1,2)",
    "say a b c)",
    "say 1 2 'three' four",
    "'' ; say rc",
    "say 2 ** 'x'",
    "say 'abc' + 1",
    "say 1 / 0",
    "say 1 // 0",
    "say 1 % 0",
    "say 9E999999999 * 10",
    "say 1E-999999999 / 10",
    "say substr('abc')",
    "say substr('abc',1,2,'x',5)",
    "say length()",
    "say left('a',,'x')",
    "say max()",
    "say date('q')",
    "say time('q')",
    "say copies('ab',-1)",
    "say x2d('q')",
    "say translate()",
    "say random(1,2,3,4)",
    "say datatype('a','q')",
    "say word('a',0)",
    "say center('a','b')",
    "say d2c(-1)",
    "say queued(1)",
];

fn control() -> Vec<String> {
    let mut all = Vec::new();
    for header in HEADERS {
        all.push(format!("i='-'; j=0; do {header}; j=j+1; say i j; end; say 'end' i j"));
    }
    for body in BODIES {
        all.push((*body).to_owned());
    }
    all
}

/// DATE, from one form to another. The sweeps go over all years that there are.
fn dates() -> Vec<String> {
    let days = [
        "say date('b','20 Nov 1991') date('b','19911120','s') date('b','0','b')",
        "say date('s','727155','b') date('u','19911120','s') date('o','19911120','s') date('e','19911120','s')",
        "say date('j','20000229','s') date('d','20000229','s') date('w','20000229','s') date('m','20000229','s')",
        "say date('n','19991231','s') date(,'19991231','s') date('c','20000301','s')",
        "do y=1 to 9999 by 97; do m=1 to 12; s=right(y,4,0)right(m,2,0)'28'; \
         if date('s',date('b',s,'s'),'b')<>s then say s; end; end; say 'done'",
        "do b=0 to 3652058 by 1461; if date('b',date('n',b,'b'))<>b then say b; end; say 'done'",
    ];
    let wrong = ["'30 Feb 2000'", "'20000230','s'", "'2000022','s'", "'29 feb 2000 '", "'2/29/00','u'", "'x','w'"];
    let refused = wrong.iter().map(|date| format!("say date('b',{date})"));
    // What another interpreter answers is no date, which would be another tomorrow.
    let none = "say datatype(date('b',,'s'))".to_owned();
    days.into_iter().map(str::to_owned).chain(refused).chain([none]).collect()
}

/// Every family there is.
#[must_use]
pub fn all() -> Vec<Family> {
    vec![
        Family { name: "strings", programs: strings() },
        Family { name: "words", programs: words() },
        Family { name: "conversions", programs: conversions() },
        Family { name: "dates", programs: dates() },
        Family { name: "numbers", programs: numbers() },
        Family { name: "arithmetic", programs: arithmetic() },
        Family { name: "parsing", programs: parsing() },
        Family { name: "control", programs: control() },
        Family { name: "clauses", programs: crate::clauses::clauses() },
    ]
}
