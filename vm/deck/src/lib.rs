//! TEXT decks: programs for CMS's loader, from ELF objects of the s390 cross compiler (`-m31`).
//!
//! All sections of an object that are in storage become one control section. Its names are the object's global ones, in
//! upper case and cut to eight characters. What the object says relative to its own place is settled here; addresses
//! become items of RLD cards. A branch or LARL to another object's name has no place for an address, so it leads to a
//! few instructions after the section that load it from a constant ([`veneer`]).
//!
//! An object that has `main` is a program for the C library: its deck wants the library's entry, and begins there.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cards;
mod module;
pub mod part;
mod veneer;

pub use module::{module, records};

use cards::{Cards, Item, Kind, Relocation};
use object::elf::{self, FileHeader32};
use object::read::elf::{ElfFile32, FileHeader};
use object::{BigEndian, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, SymbolIndex};
use std::collections::BTreeMap;

/// Where programs with a `main` begin: a name of the C library.
pub const ENTRY: &str = "CMSENTRY";

/// How the cross compiler makes objects of CMS's programs and of CMS itself: 31-bit, EBCDIC, and nothing that needs a
/// library or a kernel.
pub const COMPILED: [&str; 16] = [
    "-m31",
    "-mesa",
    "-march=z900",
    "-std=gnu11",
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-delete-null-pointer-checks",
    "-fno-tree-loop-distribute-patterns",
    "-msoft-float",
    "-fexec-charset=IBM037",
];

/// The cross compiler's usual name; S390X_CC in the environment has another.
pub fn compiler() -> String {
    std::env::var("S390X_CC").unwrap_or_else(|_| "s390x-linux-gnu-gcc".into())
}

type Elf<'a> = ElfFile32<'a, BigEndian>;

/// What the object becomes in storage.
struct Image {
    bytes: Vec<u8>,
    /// Which of them the object says something about.
    told: Vec<bool>,
    /// Where each section of the object begins.
    places: BTreeMap<usize, usize>,
    /// No section wants more of its address.
    alignment: u64,
}

impl Image {
    fn of(object: &Elf<'_>) -> Result<Image, String> {
        let mut image = Image { bytes: Vec::new(), told: Vec::new(), places: BTreeMap::new(), alignment: 1 };
        for section in object.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let name = section.name().unwrap_or("");
            if sh_flags & u64::from(elf::SHF_ALLOC) == 0 || name == ".eh_frame" || name.starts_with(".note") {
                continue;
            }
            if name.contains("init_array") || name.contains("fini_array") || name.starts_with(".ctors") {
                return Err(format!("section {name}: CMS runs no constructors"));
            }
            let align = section.align().max(1);
            image.alignment = image.alignment.max(align);
            let at = image.bytes.len().next_multiple_of(align as usize);
            image.places.insert(section.index().0, at);
            image.extend(at + section.size() as usize, false)?;
            let data = section.data().map_err(|error| format!("section {name}: {error}"))?;
            image.bytes[at..at + data.len()].copy_from_slice(data);
            image.told[at..at + data.len()].fill(true);
        }
        Ok(image)
    }

    fn extend(&mut self, size: usize, told: bool) -> Result<(), String> {
        if size > 0xff_ffff {
            return Err("the object is larger than 16M, and a deck has addresses of three bytes".into());
        }
        self.bytes.resize(size, 0);
        self.told.resize(size, told);
        Ok(())
    }

    /// Instructions or constants after the rest, on a word; returns where.
    fn append(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let at = self.bytes.len().next_multiple_of(4);
        self.extend(at, false)?;
        self.extend(at + bytes.len(), true)?;
        self.bytes[at..].copy_from_slice(bytes);
        Ok(at)
    }

    fn put_half(&mut self, at: usize, half: u16) -> Result<(), String> {
        self.put(at, &half.to_be_bytes())
    }

    fn put_word(&mut self, at: usize, word: u32) -> Result<(), String> {
        self.put(at, &word.to_be_bytes())
    }

    fn put(&mut self, at: usize, bytes: &[u8]) -> Result<(), String> {
        let room = self.bytes.get_mut(at..at + bytes.len());
        room.ok_or_else(|| "a relocation lies outside its section".to_string())?.copy_from_slice(bytes);
        Ok(())
    }
}

/// The name of a symbol as decks have it.
fn deck_name(name: &str) -> Result<String, String> {
    let upper: String = name.to_uppercase().chars().take(8).collect();
    if upper.is_empty() || !upper.chars().all(|c| c.is_ascii_alphanumeric() || "_$#@".contains(c)) {
        return Err(format!("{name} cannot be a name in a deck: letters, digits and _ $ # @ can"));
    }
    Ok(upper)
}

/// What a relocation is of.
#[derive(Clone, Copy)]
enum Target {
    /// A place in the image.
    Here(i64),
    /// A number.
    Number(i64),
    /// Another section's, by its number in the deck.
    There(u16),
}

/// The names of the object, and those that it wants.
struct Names {
    /// The control section is item 1; these follow.
    wanted: Vec<Item>,
    numbers: BTreeMap<usize, u16>,
    /// Deck name to the object's.
    told: BTreeMap<String, String>,
}

impl Names {
    fn register(&mut self, name: &str) -> Result<String, String> {
        let short = deck_name(name)?;
        match self.told.insert(short.clone(), name.into()) {
            Some(other) if other != name => Err(format!("{other} and {name} are both {short} in a deck")),
            _ => Ok(short),
        }
    }

    /// The number of a name that is defined elsewhere.
    fn number(&mut self, index: SymbolIndex, name: &str, kind: Kind, length: u32) -> Result<u16, String> {
        if let Some(number) = self.numbers.get(&index.0) {
            return Ok(*number);
        }
        let name = self.register(name)?;
        let number = u16::try_from(self.wanted.len() + 2).map_err(|_| "too many names for one deck".to_string())?;
        self.wanted.push(Item { name, kind, address: 0, length, flags: 0 });
        self.numbers.insert(index.0, number);
        Ok(number)
    }

    fn target(&mut self, object: &Elf<'_>, image: &Image, index: SymbolIndex) -> Result<Target, String> {
        let symbol = object.symbol_by_index(index).map_err(|error| error.to_string())?;
        let name = symbol.name().unwrap_or("");
        if symbol.is_common() {
            return Ok(Target::There(self.number(index, name, Kind::Common, symbol.size() as u32)?));
        }
        if symbol.is_undefined() {
            let kind = if symbol.is_weak() { Kind::Weak } else { Kind::External };
            return Ok(Target::There(self.number(index, name, kind, 0)?));
        }
        let Some(section) = symbol.section_index() else { return Ok(Target::Number(symbol.address() as i64)) };
        match image.places.get(&section.0) {
            Some(place) => Ok(Target::Here(*place as i64 + symbol.address() as i64)),
            None => Err(format!("{name} is in a section that is not in storage")),
        }
    }
}

fn parsed(object: &[u8]) -> Result<Elf<'_>, String> {
    let header =
        FileHeader32::<BigEndian>::parse(object).map_err(|_| "this is no 32-bit object of s390 (-m31)".to_string())?;
    if header.e_machine(BigEndian) != elf::EM_S390 || header.e_type(BigEndian) != elf::ET_REL {
        return Err("this is no object of s390 (-m31 -c)".into());
    }
    Elf::parse(object).map_err(|error| error.to_string())
}

/// The cards of an object, 80 bytes each. `name` is its control section.
pub fn deck(name: &str, object: &[u8]) -> Result<Vec<u8>, String> {
    let elf = parsed(object)?;
    let section = deck_name(name)?;
    let mut image = Image::of(&elf)?;
    let mut names = Names { wanted: Vec::new(), numbers: BTreeMap::new(), told: BTreeMap::new() };
    let mut labels = Vec::new();
    let mut program = false;
    let mut private = false;
    for symbol in elf.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
        let called = symbol.name().map_err(|error| error.to_string())?;
        program |= called == "main";
        let short = names.register(called)?;
        let place = symbol.section_index().and_then(|section| image.places.get(&section.0));
        if let Some(place) = place {
            if short == section && place + symbol.address() as usize == 0 {
                continue;
            }
            // Then the section can have no name.
            private |= short == section;
            labels.push(Item {
                name: short,
                kind: Kind::Label,
                address: (place + symbol.address() as usize) as u32,
                length: 1,
                flags: 0,
            });
        }
    }
    if program && section != ENTRY {
        // The library comes first of all that is wanted, for it has the rest.
        names.wanted.push(Item { name: ENTRY.into(), kind: Kind::External, address: 0, length: 0, flags: 0 });
        names.told.insert(ENTRY.into(), ENTRY.into());
    }
    let relocations = settle(&elf, &mut image, &mut names)?;
    let (section, kind) = if private { (String::new(), Kind::Private) } else { (section, Kind::Section) };
    let mut items =
        vec![Item { name: section, kind, address: 0, length: image.bytes.len() as u32, flags: cards::MODE_31_ANY }];
    items.append(&mut names.wanted);
    let mut cards = Cards::default();
    if image.alignment > 8 {
        cards.page();
    }
    cards.names(&items, &labels);
    cards.text(&image.bytes, &image.told);
    cards.relocations(&relocations);
    if program {
        cards.control(&format!(" ENTRY {ENTRY}"));
    }
    cards.end();
    Ok(cards.bytes)
}

/// Settles what the object says relative to its own place; what remains are addresses.
fn settle(elf: &Elf<'_>, image: &mut Image, names: &mut Names) -> Result<Vec<Relocation>, String> {
    let mut relocations = Vec::new();
    let mut stubs = BTreeMap::new();
    let places: Vec<_> = image.places.clone().into_iter().collect();
    for (index, place) in places {
        let section = elf.section_by_index(SectionIndex(index)).map_err(|error| error.to_string())?;
        for (offset, relocation) in section.relocations() {
            let object::RelocationTarget::Symbol(symbol) = relocation.target() else {
                return Err("a relocation is of nothing that a deck can name".into());
            };
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let target = names.target(elf, image, symbol)?;
            let site = Site { at: place + offset as usize, addend: relocation.addend(), target };
            site.settle(r_type, image, &mut relocations, &mut stubs).map_err(|why| {
                let of = elf.symbol_by_index(symbol).ok().and_then(|symbol| symbol.name().ok().map(str::to_owned));
                format!("{} + X'{offset:X}' to {}: {why}", section.name().unwrap_or("?"), of.unwrap_or_default())
            })?;
        }
    }
    Ok(relocations)
}

/// One relocation.
struct Site {
    at: usize,
    addend: i64,
    target: Target,
}

impl Site {
    fn settle(
        &self,
        r_type: u32,
        image: &mut Image,
        relocations: &mut Vec<Relocation>,
        stubs: &mut BTreeMap<(u16, i64), usize>,
    ) -> Result<(), String> {
        match r_type {
            elf::R_390_NONE => Ok(()),
            elf::R_390_32 => match self.target {
                Target::Here(to) => {
                    image.put_word(self.at, (to + self.addend) as u32)?;
                    relocations.push(Relocation { of: 1, at: self.at as u32, branch: false });
                    Ok(())
                }
                Target::There(number) => {
                    image.put_word(self.at, self.addend as u32)?;
                    relocations.push(Relocation { of: number, at: self.at as u32, branch: false });
                    Ok(())
                }
                Target::Number(value) => image.put_word(self.at, (value + self.addend) as u32),
            },
            elf::R_390_16 | elf::R_390_8 => match self.target {
                Target::Number(value) if r_type == elf::R_390_16 => {
                    image.put_half(self.at, (value + self.addend) as u16)
                }
                Target::Number(value) => image.put(self.at, &[(value + self.addend) as u8]),
                _ => Err("an address has no room in less than a word".into()),
            },
            elf::R_390_PC32 => match self.target {
                Target::Here(to) => image.put_word(self.at, (to + self.addend - self.at as i64) as u32),
                _ => Err("the distance to another deck is not known".into()),
            },
            elf::R_390_PC16DBL | elf::R_390_PLT16DBL => match self.target {
                Target::Here(to) => {
                    let halfwords = self.halfwords(to)?;
                    let short = i16::try_from(halfwords).map_err(|_| "the branch is too far".to_string())?;
                    image.put_half(self.at, short as u16)
                }
                _ => Err("a short branch cannot leave its deck".into()),
            },
            elf::R_390_PC32DBL | elf::R_390_PLT32DBL => match self.target {
                Target::Here(to) => {
                    let halfwords = self.halfwords(to)?;
                    image.put_word(self.at, halfwords as u32)
                }
                Target::There(number) => veneer::lead(self.at, self.addend, number, image, relocations, stubs),
                Target::Number(_) => Err("a number is no place".into()),
            },
            other => Err(format!("relocation {other} is none that a deck can have; compile with -fno-pic -fno-pie")),
        }
    }

    fn halfwords(&self, to: i64) -> Result<i64, String> {
        let bytes = to + self.addend - self.at as i64;
        if bytes % 2 != 0 {
            return Err("an odd address cannot be reached from an instruction".into());
        }
        Ok(bytes / 2)
    }
}
