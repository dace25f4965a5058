//! COMPRESSION CALL: generated dictionaries, and a model that walks the tree they were made of.
//!
//! `DICTIONARIES=1000000` asks for that many dictionaries instead of a few hundred, `SEED=2` for others.
//!
//!     DICTIONARIES=1000000 cargo test --release -p isa --test compression

mod lone_cpu;

use arch::{Absolute, Program};
use cpu::{Architecture, Facilities, Interruption, State};
use support::Random;

const FEW: u64 = 400;
const DICTIONARY: u64 = 0x4_0000;
const SOURCE: u64 = 0x8_0000;
const SYMBOLS: u64 = 0x9_0000;
const EXPANDED: u64 = 0xa_0000;
/// Where storage ends.
const END: u64 = 1 << 20;

/// An entry as the model has it.
struct Node {
    /// Its character and what must follow it.
    characters: Vec<u8>,
    children: Vec<usize>,
    parent: Option<usize>,
    /// Characters from the beginning of the path.
    length: usize,
    /// The entry's number.
    number: u16,
}

/// A dictionary: the tree, and both tables made of it.
struct Dictionary {
    nodes: Vec<Node>,
    format_1: bool,
    width: u32,
    compression: Vec<[u8; 8]>,
    expansion: Vec<[u8; 8]>,
}

impl Dictionary {
    fn generated(random: &mut Random) -> Dictionary {
        let (width, format_1) = (9 + random.below(5u32), random.one_in(2));
        let size = 1usize << width;
        let mut this = Dictionary {
            nodes: Vec::new(),
            format_1,
            width,
            compression: vec![[0; 8]; size],
            expansion: vec![[0; 8]; size],
        };
        for byte in 0..=255u8 {
            let node =
                Node { characters: vec![byte], children: Vec::new(), parent: None, length: 1, number: byte.into() };
            this.nodes.push(node);
        }
        // Few characters are used, so that long paths meet; and not always all entries.
        let alphabet: Vec<u8> = (0..2 + random.below(12usize)).map(|_| random.byte()).collect();
        let limit = 256 + random.below(size - 256 + 1);
        let mut free = 256;
        let mut at = 0;
        let mut counts: Vec<usize> = (0..=255u8).map(|byte| children(random, alphabet.contains(&byte))).collect();
        while at < this.nodes.len() {
            this.grow(random, at, &mut counts, &mut free, limit, &alphabet);
            at += 1;
        }
        this
    }

    /// Gives an entry its children, as far as there is room, and writes it down.
    fn grow(
        &mut self,
        random: &mut Random,
        at: usize,
        counts: &mut Vec<usize>,
        free: &mut usize,
        limit: usize,
        alphabet: &[u8],
    ) {
        let extension = self.nodes[at].characters[1..].to_vec();
        let per_descriptor = if self.format_1 { 14 } else { 6 };
        let room = 5 - extension.len();
        let mut count = counts[at];
        let slots = |count: usize| count + count.saturating_sub(room).div_ceil(per_descriptor);
        if *free + slots(count) > limit || self.nodes[at].length > 100 {
            count = 0;
        }
        let first = *free;
        // Where each child goes, and the descriptors between them.
        let (mut places, mut descriptors) = (Vec::new(), Vec::new());
        for n in 0..count {
            if n >= room && (n - room).is_multiple_of(per_descriptor) {
                descriptors.push(*free);
                *free += 1;
            }
            places.push(*free);
            *free += 1;
        }
        let mut examined = Vec::new();
        for &place in &places {
            let some = !random.one_in(3);
            let below = children(random, some);
            let most = if below < 2 { 4 } else { 1 };
            let more = if random.one_in(3) { random.below(most + 1) } else { 0 };
            let characters: Vec<u8> = (0..=more).map(|_| random.pick(alphabet)).collect();
            examined.push(more > 0 || below > 0 || random.one_in(2));
            let length = self.nodes[at].length + characters.len();
            let child = self.nodes.len();
            self.nodes[at].children.push(child);
            self.nodes.push(Node { characters, children: Vec::new(), parent: Some(at), length, number: place as u16 });
            counts.push(below);
        }
        let characters: Vec<u8> =
            self.nodes[at].children.iter().map(|&child| self.nodes[child].characters[0]).collect();
        self.write(at, first, &extension, &characters, &examined, &descriptors);
        self.write_expansion(random, at);
    }

    /// The entry of the compression dictionary, and the sibling descriptors.
    fn write(
        &mut self,
        at: usize,
        first: usize,
        extension: &[u8],
        characters: &[u8],
        examined: &[bool],
        descriptors: &[usize],
    ) {
        let room = 5 - extension.len();
        let number = usize::from(self.nodes[at].number);
        let inline = characters.len().min(room);
        let count = if characters.len() > room { room + 1 } else { characters.len() };
        let mut entry = [0u8; 8];
        entry[0] = (count as u8) << 5;
        for (n, &examined) in examined.iter().enumerate().take(inline) {
            entry[0] |= u8::from(examined) << (4 - n);
        }
        entry[1] = (extension.len() as u8) << 5;
        if !characters.is_empty() {
            entry[1] |= (first >> 8) as u8;
            entry[2] = first as u8;
        }
        entry[3..3 + extension.len()].copy_from_slice(extension);
        entry[3 + extension.len()..3 + extension.len() + inline].copy_from_slice(&characters[..inline]);
        let most = if self.format_1 { 14 } else { 6 };
        for (d, &place) in descriptors.iter().enumerate() {
            let from = room + d * most;
            let rest = characters.len() - from;
            let held = rest.min(most);
            let mut bits = 0u16;
            for n in 0..held {
                // The last two are the parent's business in the first descriptor, and always looked at in others.
                match n {
                    0..12 => bits |= u16::from(examined[from + n]) << (11 - n),
                    _ if d == 0 => entry[1] |= u8::from(examined[from + n]) << (7 - (n - 12)),
                    _ => {}
                }
            }
            let word = (rest.min(most + 1) as u16) << 12 | bits;
            let mut text = [0; 14];
            text[..held].copy_from_slice(&characters[from..from + held]);
            self.compression[place][..2].copy_from_slice(&word.to_be_bytes());
            self.compression[place][2..].copy_from_slice(&text[..6]);
            self.expansion[place].copy_from_slice(&text[6..]);
        }
        self.compression[number] = entry;
    }

    fn write_expansion(&mut self, random: &mut Random, at: usize) {
        let node = &self.nodes[at];
        let string = self.string(at);
        let mut entry = [0u8; 8];
        match node.parent {
            Some(parent) if string.len() > 7 || random.one_in(2) => {
                let preceding = self.nodes[parent].number;
                entry[..2].copy_from_slice(&((node.characters.len() as u16) << 13 | preceding).to_be_bytes());
                entry[2..2 + node.characters.len()].copy_from_slice(&node.characters);
                entry[7] = self.nodes[parent].length as u8;
            }
            _ => {
                entry[0] = string.len() as u8;
                entry[1..=string.len()].copy_from_slice(&string);
            }
        }
        self.expansion[usize::from(node.number)] = entry;
    }

    /// The characters of the path to an entry.
    fn string(&self, at: usize) -> Vec<u8> {
        let mut string = self.nodes[at].parent.map_or(Vec::new(), |parent| self.string(parent));
        string.extend(&self.nodes[at].characters);
        string
    }

    /// The symbols of a text.
    fn symbols(&self, mut text: &[u8]) -> Vec<u16> {
        let mut symbols = Vec::new();
        while let Some(&byte) = text.first() {
            let mut at = usize::from(byte);
            text = &text[1..];
            while let Some(&child) =
                self.nodes[at].children.iter().find(|&&child| text.starts_with(&self.nodes[child].characters))
            {
                text = &text[self.nodes[child].characters.len()..];
                at = child;
            }
            symbols.push(self.nodes[at].number);
        }
        symbols
    }

    fn load(&self, cpu: &State) {
        let size = self.compression.len() as u64 * 8;
        let put = |at, table: &[[u8; 8]]| cpu.storage().write(Absolute(at), table.as_flattened()).expect("it fits");
        put(DICTIONARY, &self.compression);
        put(DICTIONARY + size, &self.expansion);
    }
}

/// How many children an entry is to have.
fn children(random: &mut Random, some: bool) -> usize {
    match random.below(12u32) {
        _ if !some => 0,
        0..5 => random.below(4usize),
        5..10 => random.below(9usize),
        10 => random.below(36usize),
        _ => 0,
    }
}

/// Executes CMPSC 2,4 once: register 0 with what is to be done, the operands.
fn call(cpu: &mut State, row: &isa::Instruction, controls: u64, second: u64) -> Result<(), Interruption> {
    (cpu.gr[0], cpu.gr[1]) = (controls, second);
    isa::perform(row.run.expect("it is built"), cpu, &isa::Fields { r1: 2, r2: 4, len: 4, ..isa::Fields::default() })
}

fn row() -> &'static isa::Instruction {
    isa::instructions()
        .find(|row| row.mnemonic == "CMPSC" && row.architectures.include(Architecture::Z))
        .expect("the table has it")
}

/// Bits as they lie in storage, from one of the first byte on.
fn packed(symbols: &[u16], width: u32, first: u32) -> Vec<u8> {
    let mut bytes = vec![0u8; (first as usize + symbols.len() * width as usize).div_ceil(8)];
    let mut at = first as usize;
    for symbol in symbols {
        for n in (0..width).rev() {
            bytes[at / 8] |= ((symbol >> n & 1) as u8) << (7 - at % 8);
            at += 1;
        }
    }
    bytes
}

/// Calls again and again, with as much room as `room` says each time, until the source is used up.
fn to_its_end(cpu: &mut State, controls: u64, expands: bool, random: &mut Random) {
    const MOST: u64 = 0x1_0000;
    let mut room = 1 + random.below(600u64);
    let (start, mut calls) = (cpu.gr[2], 0);
    loop {
        cpu.gr[3] = (start + room).saturating_sub(cpu.gr[2]).min(MOST);
        let bit = cpu.gr[1];
        let before = (cpu.gr[2], cpu.gr[4], cpu.gr[5]);
        call(cpu, row(), controls, bit).expect("the dictionary is valid");
        assert_eq!(cpu.gr[5] + cpu.gr[4], before.1 + before.2, "what is used up of the source");
        match cpu.cc {
            0 => return,
            1 => room += if expands { 260 } else { 1 } + random.below(600u64),
            3 => {}
            code => panic!("condition code {code}"),
        }
        calls += 1;
        assert!(calls < 10_000, "it does not come to an end");
    }
}

#[test]
fn what_is_compressed_by_any_dictionary_expands_again() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = asked("DICTIONARIES").unwrap_or(FEW);
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    let mut cpu = lone_cpu::cpu(Facilities([u64::MAX; 4]));
    let (mut bytes, mut symbols) = (0, 0);
    for n in 0..count {
        let dictionary = Dictionary::generated(&mut random);
        dictionary.load(&cpu);
        // A walk through the tree, and some noise.
        let mut text = Vec::new();
        let length = 1 + random.below(1500usize);
        while text.len() < length {
            let at = random.below(dictionary.nodes.len());
            text.extend(dictionary.string(at));
            if random.one_in(8) {
                text.push(random.byte());
            }
        }
        let expected = dictionary.symbols(&text);
        let first = random.below(8u32);
        let controls = u64::from(dictionary.width - 8) << 12 | u64::from(dictionary.format_1) << 9;
        let storage = cpu.storage().clone();
        storage.write(Absolute(SOURCE), &text).expect("it fits");
        storage.write(Absolute(SYMBOLS), &vec![0; 4 * text.len() + 8]).expect("it fits");
        (cpu.gr[1], cpu.gr[2]) = (DICTIONARY | u64::from(first), SYMBOLS);
        (cpu.gr[4], cpu.gr[5]) = (SOURCE, text.len() as u64);
        to_its_end(&mut cpu, controls, false, &mut random);
        let wanted = packed(&expected, dictionary.width, first);
        let mut found = vec![0; wanted.len()];
        storage.read(Absolute(SYMBOLS), &mut found).expect("it fits");
        assert_eq!(found, wanted, "dictionary {n}");
        let bits = u64::from(first) + u64::from(dictionary.width) * expected.len() as u64;
        assert_eq!((cpu.gr[2], cpu.gr[1]), (SYMBOLS + bits / 8, DICTIONARY | bits % 8));
        // And back, by the dictionary that follows.
        let size = dictionary.compression.len() as u64 * 8;
        (cpu.gr[1], cpu.gr[2]) = (DICTIONARY + size | u64::from(first), EXPANDED);
        (cpu.gr[4], cpu.gr[5]) = (SYMBOLS, bits.div_ceil(8));
        // Bits after the last symbol are none.
        to_its_end(&mut cpu, controls | 0x100, true, &mut random);
        let mut back = vec![0; text.len()];
        storage.read(Absolute(EXPANDED), &mut back).expect("it fits");
        assert_eq!((back, cpu.gr[2]), (text.clone(), EXPANDED + text.len() as u64), "dictionary {n}");
        (bytes, symbols) = (bytes + text.len(), symbols + expected.len());
    }
    println!("compression: {count} dictionaries, {bytes} bytes, {symbols} symbols");
    assert!(symbols * 3 < bytes * 2, "the dictionaries do compress");
}

#[test]
fn symbols_are_translated_and_what_is_done_stays_done() {
    let mut random = Random::seeded(3);
    let mut cpu = lone_cpu::cpu(Facilities([u64::MAX; 4]));
    let storage = cpu.storage().clone();
    for _ in 0..100 {
        let dictionary = Dictionary::generated(&mut random);
        if dictionary.width > 11 {
            continue;
        }
        dictionary.load(&cpu);
        let size = dictionary.compression.len() as u64 * 16;
        let table: Vec<u16> =
            (0..dictionary.compression.len()).map(|_| random.word() as u16 >> (16 - dictionary.width)).collect();
        let bytes: Vec<u8> = table.iter().flat_map(|symbol| symbol.to_be_bytes()).collect();
        storage.write(Absolute(DICTIONARY + size), &bytes).expect("it fits");
        let text: Vec<u8> = (0..60).flat_map(|_| dictionary.string(random.below(dictionary.nodes.len()))).collect();
        // The source goes on where there is no storage.
        let at = END - text.len() as u64;
        storage.write(Absolute(at), &text).expect("it fits");
        storage.write(Absolute(SYMBOLS), &vec![0; 4 * text.len()]).expect("it fits");
        let controls = u64::from(dictionary.width - 8) << 12 | u64::from(dictionary.format_1) << 9 | 0x1_0000;
        (cpu.gr[2], cpu.gr[3], cpu.gr[4], cpu.gr[5]) = (SYMBOLS, 0x1_0000, at, text.len() as u64 + 10);
        let second = DICTIONARY | (size / 128) << 3;
        assert_eq!(call(&mut cpu, row(), controls, second), Err(Program::Addressing.into()));
        // Symbols of which all was there are in place. The last string may need a look beyond the end.
        let done = cpu.gr[4] - at;
        let expected = dictionary.symbols(&text[..done as usize]);
        let translated: Vec<u16> = expected.iter().map(|&symbol| table[usize::from(symbol)]).collect();
        let wanted = packed(&translated, dictionary.width, 0);
        let mut found = vec![0; wanted.len()];
        storage.read(Absolute(SYMBOLS), &mut found).expect("it fits");
        assert_eq!(found, wanted);
        assert!(text.len() as u64 - done <= 260 && cpu.gr[5] == text.len() as u64 + 10 - done);
        let bits = expected.len() as u64 * u64::from(dictionary.width);
        assert_eq!((cpu.gr[2], cpu.gr[1] & 7), (SYMBOLS + bits / 8, bits % 8));
    }
}

/// Entries that no dictionary may have.
#[test]
fn wrong_entries_are_data_exceptions() {
    let mut cpu = lone_cpu::cpu(Facilities([u64::MAX; 4]));
    let storage = cpu.storage().clone();
    let data: Result<(), Interruption> = Err(Interruption::Data(0));
    let mut run = |controls: u64, entries: &[(u64, [u8; 8])]| {
        storage.write(Absolute(DICTIONARY), &[0; 0x2000]).expect("it fits");
        for (number, entry) in entries {
            storage.write(Absolute(DICTIONARY + 8 * number), entry).expect("it fits");
        }
        storage.write(Absolute(SOURCE), &[0; 64]).expect("it fits");
        (cpu.gr[2], cpu.gr[3], cpu.gr[4], cpu.gr[5]) = (SYMBOLS, 1000, SOURCE, 64);
        let result = call(&mut cpu, row(), controls, DICTIONARY);
        (result, cpu.gr[4] - SOURCE)
    };
    // Compression: seven children; an extension of five; six children with an extension; no siblings; too many.
    assert_eq!(run(0x1000, &[(0, [0xe0, 0, 0, 0, 0, 0, 0, 0])]), (data, 0));
    assert_eq!(run(0x1000, &[(0, [0x20, 0xa0, 0, 0, 0, 0, 0, 0])]), (data, 0));
    assert_eq!(run(0x1000, &[(0, [0xc0, 0x20, 0, 0, 0, 0, 0, 0])]), (data, 0));
    assert_eq!(run(0x1000, &[(0, [0xc0, 1, 0, 1, 1, 1, 1, 1])]), (data, 0));
    assert_eq!(run(0x1000, &[(0, [0xc0, 1, 0, 1, 1, 1, 1, 1]), (261, [0x80, 0, 1, 1, 1, 1, 1, 1])]), (data, 0));
    assert_eq!(run(0x1000, &[(0, [0xc0, 1, 0, 1, 1, 1, 1, 1]), (261, [0x10, 0, 1, 0, 0, 0, 0, 0])]), (Ok(()), 64));
    // A path that goes round for ever.
    assert_eq!(run(0x1000, &[(0, [0x30, 0, 0, 0, 0, 0, 0, 0])]), (Ok(()), 64));
    // Expansion: no characters; seven of a part; parts that go round; a string that is too long.
    assert_eq!(run(0x1100, &[(0, [0; 8])]), (data, 0));
    assert_eq!(run(0x1100, &[(0, [0xe0, 0, 0, 0, 0, 0, 0, 0])]), (data, 0));
    assert_eq!(run(0x1100, &[(0, [0x20, 0, 0, 0, 0, 0, 0, 9])]), (data, 0));
    assert_eq!(run(0x1100, &[(0, [0xa0, 1, 0, 0, 0, 0, 0, 0xff]), (1, [1, 0x40, 0, 0, 0, 0, 0, 0])]).0, Ok(()));
    // Symbols of 8 and of 14 bits.
    assert_eq!(run(0, &[]).0, Err(Program::Specification.into()));
    assert_eq!(run(0x6000, &[]).0, Err(Program::Specification.into()));
}
