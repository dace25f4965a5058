import { MODIFIED, PROTECTED } from "./screen.js";
const SF = 0x1d, SFE = 0x29, SBA = 0x11, SA = 0x28, MF = 0x2c, IC = 0x13, PT = 0x05, RA = 0x3c, EUA = 0x12, GE = 0x08;
const ATTRIBUTE_3270 = 0xc0, HIGHLIGHT = 0x41, COLOUR = 0x42;
const STRUCTURED_FIELD = 0x88, NO_AID = 0x60, CLEAR = 0x6d;
const SHORT_READS = [CLEAR, 0x6c, 0x6e, 0x6b];
const CODE = Array.from({ length: 64 }, (_, n) => {
    const low = n & 0x0f;
    if (n === 0x21)
        return 0x61;
    if (n === 0x30)
        return 0xf0;
    return 0x40 + n + (low >= 1 && low <= 9 ? 0x80 : 0);
});
export function address(at) {
    return at < 4096 ? [CODE[at >> 6], CODE[at & 0x3f]] : [(at >> 8) & 0x3f, at & 0xff];
}
function addressOf(high, low) {
    return (high & 0xc0) === 0 ? ((high & 0x3f) << 8) | low : ((high & 0x3f) << 6) | (low & 0x3f);
}
class Wrong extends Error {
}
class Reader {
    bytes;
    at = 0;
    constructor(bytes) {
        this.bytes = bytes;
    }
    get more() {
        return this.at < this.bytes.length;
    }
    next() {
        const byte = this.bytes[this.at++];
        if (byte === undefined)
            throw new Wrong("a data stream ends too early");
        return byte;
    }
}
export class Stream {
    screen;
    aid = NO_AID;
    constructor(screen) {
        this.screen = screen;
    }
    perform(record) {
        const effects = { alarm: false, reply: null };
        try {
            const reader = new Reader(record);
            if (reader.more)
                this.command(reader, effects);
            return effects;
        }
        catch (error) {
            if (error instanceof Wrong)
                return null;
            throw error;
        }
    }
    command(reader, effects) {
        const command = reader.next();
        switch (command) {
            case 0xf1:
            case 0x01:
                return this.write(reader, effects);
            case 0xf5:
            case 0x05:
                this.screen.erase(false);
                return this.write(reader, effects);
            case 0x7e:
            case 0x0d:
                this.screen.erase(true);
                return this.write(reader, effects);
            case 0xf2:
            case 0x02:
                effects.reply = this.readBuffer();
                return;
            case 0xf6:
            case 0x06:
                effects.reply = this.readModified(this.aid, false);
                return;
            case 0x6e:
            case 0x0e:
                effects.reply = this.readModified(this.aid, true);
                return;
            case 0x6f:
            case 0x0f:
                this.screen.locked = "";
                this.screen.eraseInput();
                this.aid = NO_AID;
                return;
            case 0xf3:
            case 0x11:
                return this.structuredFields(reader, effects);
            default:
                throw new Wrong("an unknown command");
        }
    }
    structuredFields(reader, effects) {
        while (reader.more) {
            const start = reader.at;
            const said = (reader.next() << 8) | reader.next();
            const length = said === 0 ? reader.bytes.length - start : said;
            if (length < 3 || start + length > reader.bytes.length)
                throw new Wrong("a wrong length");
            const field = new Reader(reader.bytes.subarray(start + 2, start + length));
            reader.at = start + length;
            const id = field.next();
            if (id === 0x01) {
                field.next();
                const type = field.next();
                if (type === 0x02 || type === 0x03)
                    effects.reply = queryReply(this.screen.alternate);
                else if (type === 0xf2)
                    effects.reply = this.readBuffer();
                else if (type === 0xf6)
                    effects.reply = this.readModified(this.aid, false);
                else if (type === 0x6e)
                    effects.reply = this.readModified(this.aid, true);
            }
            else if (id === 0x03) {
                this.screen.erase(field.next() === 0x80);
            }
            else if (id === 0x40) {
                field.next();
                this.command(field, effects);
            }
        }
    }
    write(reader, effects) {
        const { screen } = this;
        const control = reader.next();
        let at = screen.cursor;
        let colour = 0, highlight = 0;
        let afterText = false;
        if (control & 0x01) {
            for (const cell of screen.cells)
                if (cell.field !== null)
                    cell.field &= ~MODIFIED;
        }
        const put = (cell) => {
            Object.assign(screen.cells[at], { graphic: false, field: null, colour: 0, highlight: 0, ...cell });
            at = screen.wrap(at + 1);
        };
        const place = () => {
            const to = addressOf(reader.next(), reader.next());
            if (to >= screen.length)
                throw new Wrong("an address beyond the screen");
            return to;
        };
        const pairs = (base) => {
            for (let count = reader.next(); count > 0; count--) {
                const [type, value] = [reader.next(), reader.next()];
                if (type === ATTRIBUTE_3270)
                    base.field = value & 0x3f;
                else if (type === HIGHLIGHT)
                    base.highlight = value;
                else if (type === COLOUR)
                    base.colour = value;
            }
            return base;
        };
        while (reader.more) {
            const order = reader.next();
            let text = false;
            switch (order) {
                case SF:
                    put({ byte: 0, field: reader.next() & 0x3f });
                    break;
                case SFE:
                    put(pairs({ byte: 0, field: 0 }));
                    break;
                case MF: {
                    const cell = screen.cells[at];
                    if (cell.field === null)
                        throw new Wrong("MODIFY FIELD where there is none");
                    Object.assign(cell, pairs({}));
                    at = screen.wrap(at + 1);
                    break;
                }
                case SBA:
                    at = place();
                    break;
                case SA: {
                    const [type, value] = [reader.next(), reader.next()];
                    if (type === 0)
                        [colour, highlight] = [0, 0];
                    else if (type === COLOUR)
                        colour = value;
                    else if (type === HIGHLIGHT)
                        highlight = value;
                    break;
                }
                case IC:
                    screen.cursor = at;
                    break;
                case PT:
                    at = this.programTab(at, afterText);
                    break;
                case RA: {
                    const to = place();
                    let byte = reader.next();
                    const graphic = byte === GE;
                    if (graphic)
                        byte = reader.next();
                    do
                        put({ byte, graphic, colour, highlight });
                    while (at !== to);
                    break;
                }
                case EUA: {
                    const to = place();
                    do {
                        if (screen.isInput(at))
                            screen.clear(at);
                        at = screen.wrap(at + 1);
                    } while (at !== to);
                    break;
                }
                case GE:
                    put({ byte: reader.next(), graphic: true, colour, highlight });
                    text = true;
                    break;
                default:
                    put({ byte: order, colour, highlight });
                    text = true;
            }
            afterText = text;
        }
        if (control & 0x04)
            effects.alarm = true;
        if (control & 0x02) {
            screen.locked = "";
            this.aid = NO_AID;
        }
    }
    programTab(from, afterText) {
        const { screen } = this;
        let at = from;
        for (; at < screen.length; at++) {
            const field = screen.cells[at].field;
            if (field !== null && !(field & PROTECTED))
                return screen.wrap(at + 1);
            if (afterText && field === null)
                screen.clear(at);
            if (field !== null)
                afterText = false;
        }
        return 0;
    }
    readBuffer() {
        const { screen } = this;
        const bytes = [this.aid, ...address(screen.cursor)];
        for (const cell of screen.cells) {
            if (cell.field !== null)
                bytes.push(SF, CODE[cell.field & 0x3f]);
            else if (cell.graphic)
                bytes.push(GE, cell.byte);
            else
                bytes.push(cell.byte);
        }
        return bytes;
    }
    readModified(aid, all) {
        const { screen } = this;
        if (SHORT_READS.includes(aid) && !all)
            return [aid];
        const bytes = [aid, ...address(screen.cursor)];
        const text = (places) => places.map((place) => screen.cells[place]).filter((cell) => cell.byte !== 0)
            .flatMap((cell) => (cell.graphic ? [GE, cell.byte] : [cell.byte]));
        if (!screen.isFormatted())
            return [...bytes, ...text(screen.fieldOf(0))];
        screen.cells.forEach((cell, at) => {
            if (cell.field === null || !(cell.field & MODIFIED))
                return;
            const first = screen.wrap(at + 1);
            bytes.push(SBA, ...address(first));
            if (screen.cells[first].field === null)
                bytes.push(...text(screen.fieldOf(first)));
        });
        return bytes;
    }
}
function queryReply(size) {
    const two = (n) => [n >> 8, n & 0xff];
    const reply = (code, ...data) => [...two(data.length + 4), 0x81, code, ...data];
    const cells = size.rows * size.columns;
    const colours = [0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7];
    return [
        STRUCTURED_FIELD,
        ...reply(0x80, 0x80, 0x81, 0x85, 0x86, 0x87, 0xa6),
        ...reply(0x81, 0x01, 0x00, ...two(size.columns), ...two(size.rows), 0x01, 0, 10, 2, 229, 0, 2, 0, 111, 9, 12, ...two(cells)),
        ...reply(0x85, 0x82, 0x00, 9, 12, 0, 0, 0, 0, 7, 0x00, 0x10, 0x00, 0x02, 0xb9, 0x00, 0x25),
        ...reply(0x86, 0x00, 0x08, 0x00, 0xf4, ...colours.flatMap((colour) => [colour, colour])),
        ...reply(0x87, 0x05, 0x00, 0xf0, 0xf1, 0xf1, 0xf2, 0xf2, 0xf4, 0xf4, 0xf8, 0xf8),
        ...reply(0xa6, 0x00, 0x00, 0x0b, 0x01, 0x00, ...two(80), ...two(24), ...two(size.columns), ...two(size.rows)),
    ];
}
