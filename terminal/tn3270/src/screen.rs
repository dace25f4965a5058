//! A display in memory: it obeys outbound data streams and answers reads (GA23-0059, *Commands* and *Orders*).
//!
//! A host keeps one beside a terminal to remember what is shown there; a test looks at it as text, and types into
//! it like an operator. Every position holds a [`Cell`]; a field attribute takes a position, and a field runs from
//! there to the next attribute, around the end of the screen if need be.

use crate::codepage::CodePage;
use crate::datastream::order::{Command, Order, Orders, Truncated, is_character};
use crate::datastream::structured::{self, ImplicitPartition, UsableArea};
use crate::datastream::{
    Aid, Attribute, Color, Highlight, Inbound, QueryReply, Size, Wcc, attribute_type, code, decode_address,
};
use base::layout::U16;
use zerocopy::IntoBytes;

/// One position of a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The character, EBCDIC; X'00' for none. Without meaning where there is an attribute.
    pub byte: u8,
    /// The field attribute, where a field begins.
    pub attribute: Option<Attribute>,
    /// The character's own colour, or at an attribute the field's.
    pub color: Color,
    /// The character's own highlighting, or at an attribute the field's.
    pub highlight: Highlight,
    /// The character is of the alternate set (Graphic Escape).
    pub graphic_escape: bool,
}

impl Cell {
    /// Takes the character away. Its colour and highlighting stay, for what is typed there next.
    fn clear(&mut self) {
        (self.byte, self.graphic_escape) = (0, false);
    }
}

/// How much of the attributes a Read Buffer or Read Modified tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyMode {
    /// Field attributes only.
    #[default]
    Field,
    /// Extended field attributes too.
    ExtendedField,
    /// Character attributes too, of the types that the host has listed.
    Character {
        /// Highlighting is listed.
        highlight: bool,
        /// Colour is listed.
        color: bool,
    },
}

/// Why a display refuses an outbound record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScreenError {
    /// Command reject: there is no such command, or none at all.
    #[error("an unknown 3270 command")]
    UnknownCommand,
    /// Operation check: the record ends inside an order or a structured field.
    #[error("a 3270 data stream that ends too early")]
    Truncated,
    /// Operation check: a buffer address lies beyond the screen.
    #[error("buffer address {0} is beyond the screen")]
    Address(u16),
    /// Operation check: Repeat to Address or Graphic Escape with what is no character.
    #[error("X'{0:02X}' is not a character")]
    Character(u8),
    /// Operation check: a structured field is unknown or contradicts itself.
    #[error("structured field X'{0:02X}' is unknown or not valid")]
    StructuredField(u8),
}

impl From<Truncated> for ScreenError {
    fn from(_: Truncated) -> ScreenError {
        ScreenError::Truncated
    }
}

/// What obeying a record brought about, besides the change on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What the terminal sends back, for reads and queries.
    pub reply: Option<Vec<u8>>,
    /// The alarm sounded.
    pub alarm: bool,
    /// The keyboard was unlocked.
    pub unlocked: bool,
}

/// A display in memory.
#[derive(Clone, Debug)]
pub struct Screen {
    default: Size,
    alternate: Size,
    size: Size,
    cells: Vec<Cell>,
    cursor: u16,
    /// The buffer address, where the next order acts.
    address: u16,
    aid: Aid,
    locked: bool,
    reply_mode: ReplyMode,
    page: CodePage,
}

impl Screen {
    /// An empty display with these default and alternate sizes, in the default size, its keyboard locked.
    pub fn new(default: Size, alternate: Size) -> Screen {
        Screen {
            default,
            alternate,
            size: default,
            cells: vec![Cell::default(); default.positions() as usize],
            cursor: 0,
            address: 0,
            aid: Aid::None,
            locked: true,
            reply_mode: ReplyMode::Field,
            page: CodePage::default(),
        }
    }

    /// The same, showing text in `page`; the default is [`CodePage::Bracket`].
    pub fn with_code_page(mut self, page: CodePage) -> Screen {
        self.page = page;
        self
    }

    /// The size in effect.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The cursor's position.
    pub fn cursor(&self) -> u16 {
        self.cursor
    }

    /// The keyboard is locked: the operator must wait.
    pub fn is_locked(&self) -> bool {
        self.locked
    }

    /// How much reads tell.
    pub fn reply_mode(&self) -> ReplyMode {
        self.reply_mode
    }

    /// There is at least one field.
    pub fn is_formatted(&self) -> bool {
        self.cells.iter().any(|c| c.attribute.is_some())
    }

    /// The cell at `position`, wrapped into the screen.
    pub fn cell(&self, position: u16) -> &Cell {
        &self.cells[(position % self.size.positions()) as usize]
    }

    /// The position and attribute of the field that holds `position`; `None` on an unformatted screen. A position
    /// with an attribute belongs to the field it begins.
    pub fn field_of(&self, position: u16) -> Option<(u16, Attribute)> {
        let n = self.size.positions();
        let position = position % n;
        (0..n).map(|back| (position + n - back) % n).find_map(|at| Some((at, self.cells[at as usize].attribute?)))
    }

    /// The attributes' positions, in order.
    fn attributes(&self) -> Vec<u16> {
        (0..self.size.positions()).filter(|&p| self.cells[p as usize].attribute.is_some()).collect()
    }

    /// The positions of the field that begins at the attribute at `start`, without the attribute.
    fn field_positions(&self, start: u16) -> impl Iterator<Item = u16> + '_ {
        let n = self.size.positions();
        (1..n).map(move |i| (start + i) % n).take_while(|&p| self.cells[p as usize].attribute.is_none())
    }

    /// What the operator sees: rows separated by new lines, trailing blanks left out; hidden fields are blank.
    pub fn text(&self) -> String {
        let rows: Vec<String> = (0..self.size.rows).map(|row| self.row(row)).collect();
        rows.join("\n").trim_end_matches('\n').to_string()
    }

    /// One row (from 0) as the operator sees it, trailing blanks left out; empty beyond the screen.
    pub fn row(&self, row: u16) -> String {
        if row >= self.size.rows {
            return String::new();
        }
        let start = self.size.at(row, 0);
        let mut hidden = self.field_of(start).is_some_and(|(_, a)| a.is_hidden());
        let mut text = String::new();
        for position in start..start + self.size.cols {
            let cell = self.cell(position);
            if let Some(attribute) = cell.attribute {
                hidden = attribute.is_hidden();
                text.push(' ');
            } else if hidden {
                text.push(' ');
            } else {
                text.push(self.page.decode(cell.byte));
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The characters of the field that begins after the attribute at `start`, nulls left out, trailing blanks kept.
    pub fn field_text(&self, start: u16) -> String {
        let bytes: Vec<u8> = self.field_positions(start).map(|p| self.cells[p as usize].byte).collect();
        self.page.text(&bytes)
    }

    // Commands.

    /// Obeys an outbound record, command first. What a failing record did before its error stays done.
    pub fn apply(&mut self, record: &[u8]) -> Result<Effect, ScreenError> {
        let (&byte, data) = record.split_first().ok_or(ScreenError::UnknownCommand)?;
        let command = Command::from_byte(byte).ok_or(ScreenError::UnknownCommand)?;
        let mut effect = Effect::default();
        match command {
            Command::Write => self.write(data, &mut effect)?,
            Command::EraseWrite => {
                self.erase(self.default);
                self.write(data, &mut effect)?;
            }
            Command::EraseWriteAlternate => {
                self.erase(self.alternate);
                self.write(data, &mut effect)?;
            }
            Command::EraseAllUnprotected => {
                self.erase_all_unprotected();
                effect.unlocked = true;
            }
            Command::ReadBuffer => effect.reply = Some(self.read_buffer(self.aid)),
            Command::ReadModified => effect.reply = Some(self.read_modified(self.aid)),
            Command::ReadModifiedAll => effect.reply = Some(self.read_modified_all(self.aid)),
            Command::WriteStructuredField => self.structured_fields(data, &mut effect)?,
            Command::NoOperation => {}
        }
        Ok(effect)
    }

    /// Clears everything and takes `size`.
    fn erase(&mut self, size: Size) {
        self.size = size;
        self.cells.clear();
        self.cells.resize(size.positions() as usize, Cell::default());
        (self.cursor, self.address) = (0, 0);
        self.reply_mode = ReplyMode::Field;
    }

    fn erase_all_unprotected(&mut self) {
        let starts = self.attributes();
        if starts.is_empty() {
            self.cells.fill(Cell::default());
            self.address = 0;
        }
        let mut first = None;
        for start in starts {
            let Some(attribute) = self.cells[start as usize].attribute.filter(|a| !a.is_protected()) else { continue };
            self.cells[start as usize].attribute = Some(attribute.modified(false));
            for position in self.field_positions(start).collect::<Vec<u16>>() {
                self.cells[position as usize].clear();
            }
            first.get_or_insert((start + 1) % self.size.positions());
        }
        self.cursor = first.unwrap_or(0);
        self.unlock();
    }

    fn unlock(&mut self) {
        self.locked = false;
        self.aid = Aid::None;
    }

    fn write(&mut self, data: &[u8], effect: &mut Effect) -> Result<(), ScreenError> {
        // A write without even a WCC is a command alone, and does nothing more.
        let Some((&wcc, orders)) = data.split_first() else { return Ok(()) };
        let wcc = Wcc::from_byte(wcc);
        self.address = self.cursor;
        if wcc.resets_mdt() {
            for cell in &mut self.cells {
                cell.attribute = cell.attribute.map(|a| a.modified(false));
            }
        }
        let result = self.orders(orders);
        effect.alarm |= wcc.alarms();
        if wcc.restores() {
            self.unlock();
            effect.unlocked = true;
        }
        result
    }

    fn orders(&mut self, data: &[u8]) -> Result<(), ScreenError> {
        // The attributes that SA has set, for this write only.
        let mut style = Cell::default();
        let mut after_data = false;
        for order in Orders::new(data) {
            let order = order?;
            let was_data = std::mem::replace(&mut after_data, matches!(order, Order::Data(_)));
            match order {
                Order::Data(byte) if is_character(byte) => self.put(Cell { byte, ..style }),
                Order::Data(_) => {}
                Order::GraphicEscape(byte) => self.put(character(Cell { byte, graphic_escape: true, ..style })?),
                Order::StartField(attribute) => {
                    self.put(Cell { attribute: Some(attribute), ..Cell::default() });
                }
                Order::StartFieldExtended(pairs) => {
                    let mut cell = Cell { attribute: Some(Attribute::default()), ..Cell::default() };
                    pairs.iter().for_each(|&pair| set(&mut cell, pair));
                    self.put(cell);
                }
                Order::ModifyField(pairs) => {
                    let cell = &mut self.cells[self.address as usize];
                    // Where no field begins there is nothing to modify; the order is passed over.
                    if cell.attribute.is_some() {
                        pairs.iter().for_each(|&pair| set(cell, pair));
                        self.advance();
                    }
                }
                Order::SetAttribute(kind, value) => set(&mut style, (kind, value)),
                Order::SetBufferAddress(address) => self.address = self.check(address)?,
                Order::InsertCursor => self.cursor = self.address,
                Order::ProgramTab => self.program_tab(was_data),
                Order::RepeatToAddress { stop, byte, graphic_escape } => {
                    let stop = self.check(stop)?;
                    let cell = character(Cell { byte, graphic_escape, ..style })?;
                    self.up_to(stop, |screen| screen.put(cell));
                }
                Order::EraseUnprotectedToAddress(stop) => {
                    let stop = self.check(stop)?;
                    let mut protected = self.field_of(self.address).is_some_and(|(_, a)| a.is_protected());
                    self.up_to(stop, |screen| {
                        let cell = &mut screen.cells[screen.address as usize];
                        match cell.attribute {
                            Some(attribute) => protected = attribute.is_protected(),
                            None if !protected => cell.clear(),
                            None => {}
                        }
                        screen.advance();
                    });
                }
            }
        }
        Ok(())
    }

    fn check(&self, address: u16) -> Result<u16, ScreenError> {
        if address < self.size.positions() { Ok(address) } else { Err(ScreenError::Address(address)) }
    }

    fn advance(&mut self) {
        self.address = (self.address + 1) % self.size.positions();
    }

    fn put(&mut self, cell: Cell) {
        self.cells[self.address as usize] = cell;
        self.advance();
    }

    /// Does `step`, which advances by one, until the buffer address is `stop`; all around if it is there already.
    fn up_to(&mut self, stop: u16, mut step: impl FnMut(&mut Screen)) {
        loop {
            step(self);
            if self.address == stop {
                return;
            }
        }
    }

    /// Whether an unprotected field begins at `position` that has any room.
    fn opens(&self, position: u16) -> bool {
        self.cell(position).attribute.is_some_and(|a| !a.is_protected())
            && self.cell((position + 1) % self.size.positions()).attribute.is_none()
    }

    /// On to the first position of the next unprotected field, or to 0. Right after data, the rest of the field it
    /// leaves is cleared, its colours too.
    fn program_tab(&mut self, after_data: bool) {
        if self.cells[self.address as usize].attribute.is_some_and(|a| !a.is_protected()) {
            return self.advance();
        }
        let n = self.size.positions();
        if after_data {
            while self.cells[self.address as usize].attribute.is_none() {
                self.cells[self.address as usize] = Cell::default();
                self.advance();
                if self.address == 0 {
                    return;
                }
            }
        }
        self.address = (self.address..n).find(|&p| self.opens(p)).map_or(0, |p| (p + 1) % n);
    }

    fn structured_fields(&mut self, mut data: &[u8], effect: &mut Effect) -> Result<(), ScreenError> {
        while !data.is_empty() {
            let (id, field, others) = structured::split(data).ok_or(ScreenError::Truncated)?;
            data = others;
            match (id, field) {
                // Read Partition: Query and Query List, with all partitions; or a read of partition 0.
                (0x01, [0xff, 0x02 | 0x03, ..]) => effect.reply = Some(self.query_reply()),
                (0x01, [0x00, 0xf2]) => effect.reply = Some(self.read_buffer(Aid::None)),
                (0x01, [0x00, 0xf6]) => effect.reply = Some(self.read_modified(Aid::None)),
                (0x01, [0x00, 0x6e]) => effect.reply = Some(self.read_modified_all(Aid::None)),
                // Erase/Reset.
                (0x03, [0x00, ..]) => self.erase(self.default),
                (0x03, [0x80, ..]) => self.erase(self.alternate),
                // Set Reply Mode for partition 0.
                (0x09, [0x00, mode, listed @ ..]) => {
                    self.reply_mode = match mode {
                        0 => ReplyMode::Field,
                        1 => ReplyMode::ExtendedField,
                        2 => ReplyMode::Character {
                            highlight: listed.contains(&attribute_type::HIGHLIGHT),
                            color: listed.contains(&attribute_type::COLOR),
                        },
                        _ => return Err(ScreenError::StructuredField(id)),
                    }
                }
                // Outbound 3270DS for partition 0: a write inside a structured field.
                (0x40, [0x00, inner @ ..]) => match inner.first().copied().and_then(Command::from_byte) {
                    Some(
                        Command::Write
                        | Command::EraseWrite
                        | Command::EraseWriteAlternate
                        | Command::EraseAllUnprotected,
                    ) => {
                        let inner = self.apply(inner)?;
                        effect.alarm |= inner.alarm;
                        effect.unlocked |= inner.unlocked;
                    }
                    _ => return Err(ScreenError::StructuredField(id)),
                },
                _ => return Err(ScreenError::StructuredField(id)),
            }
        }
        Ok(())
    }

    // What the terminal sends.

    /// What a Read Modified sends for `aid`: for CLEAR and PA keys the AID alone.
    pub fn read_modified(&self, aid: Aid) -> Vec<u8> {
        if aid.is_short() { vec![aid.byte()] } else { self.read_modified_all(aid) }
    }

    /// What a Read Modified All sends for `aid`: the fields whatever the key.
    pub fn read_modified_all(&self, aid: Aid) -> Vec<u8> {
        let mut out = self.heading(aid);
        let starts = self.attributes();
        let mut style = Cell::default();
        if starts.is_empty() {
            for cell in self.cells.iter().filter(|c| c.byte != 0) {
                self.character(cell, &mut style, &mut out);
            }
        }
        for start in starts {
            if self.cells[start as usize].attribute.is_some_and(|a| a.is_modified()) {
                out.push(code::SBA);
                out.extend(self.size.encode((start + 1) % self.size.positions()));
                for position in self.field_positions(start) {
                    let cell = &self.cells[position as usize];
                    if cell.byte != 0 {
                        self.character(cell, &mut style, &mut out);
                    }
                }
            }
        }
        out
    }

    /// What a Read Buffer sends: every position.
    pub fn read_buffer(&self, aid: Aid) -> Vec<u8> {
        let mut out = self.heading(aid);
        let mut style = Cell::default();
        for cell in &self.cells {
            match cell.attribute {
                Some(attribute) if self.reply_mode == ReplyMode::Field => out.extend([code::SF, attribute.byte()]),
                Some(attribute) => {
                    let count_at = out.len() + 1;
                    out.extend([code::SFE, 1, attribute_type::FIELD, attribute.byte()]);
                    for (kind, value) in
                        [(attribute_type::COLOR, cell.color as u8), (attribute_type::HIGHLIGHT, cell.highlight as u8)]
                    {
                        if value != 0 {
                            out.extend([kind, value]);
                            out[count_at] += 1;
                        }
                    }
                }
                None => self.character(cell, &mut style, &mut out),
            }
        }
        out
    }

    fn heading(&self, aid: Aid) -> Vec<u8> {
        let mut out = vec![aid.byte()];
        out.extend(self.size.encode(self.cursor));
        out
    }

    /// Appends one character, in character reply mode with the attributes that changed since `style`.
    fn character(&self, cell: &Cell, style: &mut Cell, out: &mut Vec<u8>) {
        if let ReplyMode::Character { highlight, color } = self.reply_mode {
            if color && cell.color != style.color {
                out.extend([code::SA, attribute_type::COLOR, cell.color as u8]);
            }
            if highlight && cell.highlight != style.highlight {
                out.extend([code::SA, attribute_type::HIGHLIGHT, cell.highlight as u8]);
            }
            *style = *cell;
        }
        if cell.graphic_escape {
            out.push(code::GE);
        }
        out.push(cell.byte);
    }

    /// What a Query sends: summary, usable area, implicit partition, seven colours, highlighting, reply modes.
    pub fn query_reply(&self) -> Vec<u8> {
        let max =
            Size { rows: self.default.rows.max(self.alternate.rows), cols: self.default.cols.max(self.alternate.cols) };
        let usable = UsableArea {
            code: 0x81,
            flags: 0x01,
            more_flags: 0,
            extent: max.into(),
            units: 1,
            x: [0x0a, 0x02e5].map(U16::new),
            y: [0x02, 0x6f].map(U16::new),
            cell: [9, 12],
            buffer: U16::new(max.rows * max.cols),
        };
        let (default, alternate) = (self.default.into(), self.alternate.into());
        let (length, kind) = (0x0b, 0x01);
        let implicit = ImplicitPartition { code: 0xa6, reserved_1: [0; 2], length, kind, flags: 0, default, alternate };
        let mut color = vec![0x86, 0x00, 0x08, 0x00, 0xf4];
        color.extend((0xf1..=0xf7).flat_map(|c| [c, c]));
        let replies = [
            vec![0x80, 0x80, 0x81, 0x86, 0x87, 0x88, 0xa6],
            usable.as_bytes().to_vec(),
            color,
            vec![0x87, 0x04, 0x00, 0xf0, 0xf1, 0xf1, 0xf2, 0xf2, 0xf4, 0xf4],
            vec![0x88, 0x00, 0x01, 0x02],
            implicit.as_bytes().to_vec(),
        ];
        let mut out = vec![Aid::StructuredField.byte()];
        for reply in replies {
            structured::push(&mut out, QueryReply::ID, &reply);
        }
        out
    }

    // The operator, and the host's record of what the operator did.

    /// Takes over what a terminal sent: the cursor, the key, and the modified fields' contents. CLEAR empties the
    /// screen. So the host's copy stays what the terminal shows.
    pub fn accept(&mut self, inbound: &Inbound) {
        if inbound.aid == Aid::StructuredField {
            return;
        }
        self.aid = inbound.aid;
        self.locked = true;
        if inbound.aid == Aid::Clear {
            self.erase(self.default);
            self.aid = Aid::Clear;
            return;
        }
        let n = self.size.positions();
        if let Some(cursor) = inbound.cursor.filter(|&c| c < n) {
            self.cursor = cursor;
        }
        for field in &inbound.fields {
            let (first, positions) = match field.position {
                None => (0, (0..n).collect::<Vec<u16>>()),
                Some(position) if position < n => {
                    let start = (position + n - 1) % n;
                    let Some(attribute) = self.cells[start as usize].attribute else { continue };
                    self.cells[start as usize].attribute = Some(attribute.modified(true));
                    (position, self.field_positions(start).collect())
                }
                Some(_) => continue,
            };
            debug_assert!(positions.first().is_none_or(|&p| p == first));
            // Nulls were left out, so where the characters stood is not known; they are kept from the left.
            let mut bytes = field.data.iter().copied();
            for position in positions {
                let cell = &mut self.cells[position as usize];
                let byte = bytes.next().unwrap_or(0);
                *cell = Cell { byte, ..*cell };
            }
        }
    }

    /// Takes over a whole buffer, as a Read Buffer sends it; characters keep the attributes that they have here.
    /// `false`, and nothing is changed, if the record is something else: fields that were modified have addresses.
    pub fn accept_buffer(&mut self, record: &[u8]) -> bool {
        let mut cells: Vec<Cell> = Vec::with_capacity(self.cells.len());
        let [_, first, second, ref data @ ..] = *record else { return false };
        for order in Orders::new(data) {
            let Ok(order) = order else { return false };
            if matches!(order, Order::SetAttribute(..)) {
                continue;
            }
            let Some(&old) = self.cells.get(cells.len()) else { return false };
            cells.push(match order {
                Order::Data(byte) => Cell { byte, attribute: None, graphic_escape: false, ..old },
                Order::GraphicEscape(byte) => Cell { byte, attribute: None, graphic_escape: true, ..old },
                Order::StartField(attribute) => Cell { attribute: Some(attribute), ..old },
                Order::StartFieldExtended(pairs) => {
                    let mut cell = Cell { attribute: Some(Attribute::default()), ..old };
                    pairs.iter().for_each(|&pair| set(&mut cell, pair));
                    cell
                }
                _ => return false,
            });
        }
        if cells.len() != self.cells.len() {
            return false;
        }
        self.cells = cells;
        let cursor = decode_address([first, second]);
        if cursor < self.size.positions() {
            self.cursor = cursor;
        }
        true
    }

    /// Types text at the cursor, like an operator: `false` if the keyboard is locked or a position is protected.
    pub fn type_text(&mut self, text: &str) -> bool {
        for character in text.chars() {
            let at = self.cursor;
            let field = self.field_of(at);
            let closed = self.cell(at).attribute.is_some() || field.is_some_and(|(_, a)| a.is_protected());
            if self.locked || closed {
                return false;
            }
            if let Some((start, attribute)) = field {
                self.cells[start as usize].attribute = Some(attribute.modified(true));
            }
            let cell = &mut self.cells[at as usize];
            *cell = Cell { byte: self.page.encode(character), ..*cell };
            self.cursor = (at + 1) % self.size.positions();
        }
        true
    }

    /// Moves the cursor to the next unprotected field (the TAB key); to 0 if there is none.
    pub fn tab(&mut self) {
        let n = self.size.positions();
        self.cursor = (0..n).map(|i| (self.cursor + i) % n).find(|&p| self.opens(p)).map_or(0, |p| (p + 1) % n);
    }

    /// Moves the cursor, wrapped into the screen.
    pub fn set_cursor(&mut self, position: u16) {
        self.cursor = position % self.size.positions();
    }

    /// Presses a key that sends: the record sent; `None` if the keyboard is locked. It locks the keyboard, and CLEAR
    /// empties the screen.
    pub fn press(&mut self, aid: Aid) -> Option<Vec<u8>> {
        if self.locked {
            return None;
        }
        if aid == Aid::Clear {
            self.erase(self.default);
        }
        self.aid = aid;
        self.locked = true;
        Some(self.read_modified(aid))
    }
}

/// The cell, if it can be one: a control that is an order cannot be repeated or escaped.
fn character(cell: Cell) -> Result<Cell, ScreenError> {
    if is_character(cell.byte) { Ok(cell) } else { Err(ScreenError::Character(cell.byte)) }
}

/// Sets one attribute of a cell: of a field if the cell holds an attribute, else of a character.
fn set(cell: &mut Cell, (kind, value): (u8, u8)) {
    match kind {
        attribute_type::RESET => (cell.color, cell.highlight) = (Color::Default, Highlight::Default),
        attribute_type::COLOR => cell.color = Color::from_byte(value),
        attribute_type::HIGHLIGHT => cell.highlight = Highlight::from_byte(value),
        attribute_type::FIELD if cell.attribute.is_some() => cell.attribute = Some(Attribute::from_byte(value)),
        _ => {}
    }
}
