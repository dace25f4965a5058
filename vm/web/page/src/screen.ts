// The buffer of a 3270: characters, field attributes, extended attributes, and what its keys do to them.

export interface Size {
    rows: number;
    columns: number;
}

/** A position of the buffer. */
export interface Cell {
    /** The character in EBCDIC; 0 for null. */
    byte: number;
    /** A character of the graphic escape set. */
    graphic: boolean;
    /** A field attribute, if one is here. */
    field: number | null;
    /** Extended colour, highlighting and character set: 0 is that of the field. */
    colour: number;
    highlight: number;
}

const blank = (): Cell => ({ byte: 0, graphic: false, field: null, colour: 0, highlight: 0 });

export const PROTECTED = 0x20, NUMERIC = 0x10, DISPLAY = 0x0c, MODIFIED = 0x01;
export const INTENSIFIED = 0x08, NONDISPLAY = 0x0c;

/** How a position is to be shown. */
export interface Look {
    colour: number;
    highlight: number;
    intense: boolean;
    hidden: boolean;
}

export class Screen {
    cells: Cell[] = [];
    size: Size;
    cursor = 0;
    insert = false;
    /** Input is not taken until the host or RESET says so: why. */
    locked: "" | "X SYSTEM" | "X PROTECTED" | "X NUMERIC" | "X OVERFLOW" = "X SYSTEM";

    constructor(readonly alternate: Size) {
        this.size = { rows: 24, columns: 80 };
        this.erase(false);
    }

    get length(): number {
        return this.cells.length;
    }

    /** Erases all, at the default or the alternate size. */
    erase(alternate: boolean): void {
        this.size = alternate ? this.alternate : { rows: 24, columns: 80 };
        this.cells = Array.from({ length: this.size.rows * this.size.columns }, blank);
        this.cursor = 0;
        this.insert = false;
    }

    wrap(at: number): number {
        return ((at % this.length) + this.length) % this.length;
    }

    /** The place of the field attribute that governs `at`; none on an unformatted screen. */
    attributeOf(at: number): number | null {
        for (let n = 0; n < this.length; n++) {
            const place = this.wrap(at - n);
            if (this.cells[place]!.field !== null) return place;
        }
        return null;
    }

    private attribute(at: number): number {
        const place = this.attributeOf(at);
        return place === null ? 0 : this.cells[place]!.field!;
    }

    isFormatted(): boolean {
        return this.cells.some((cell) => cell.field !== null);
    }

    isInput(at: number): boolean {
        return this.cells[at]!.field === null && !(this.attribute(at) & PROTECTED);
    }

    /** How each position looks, in one pass. */
    looks(): Look[] {
        const start = this.cells.findIndex((cell) => cell.field !== null);
        let governing: Cell | null = null;
        const looks: Look[] = new Array<Look>(this.length);
        for (let n = 0; n < this.length; n++) {
            const at = this.wrap(n + Math.max(start, 0));
            const cell = this.cells[at]!;
            if (cell.field !== null) governing = cell;
            const field: number = governing?.field ?? 0;
            const intense = (field & DISPLAY) === INTENSIFIED;
            const usual = field & PROTECTED ? (intense ? 0xf7 : 0xf1) : intense ? 0xf2 : 0xf4;
            const colour = cell.colour || governing?.colour || (governing ? usual : 0xf4);
            const highlight = cell.highlight || governing?.highlight || 0;
            const hidden = (field & DISPLAY) === NONDISPLAY || cell.field !== null;
            looks[at] = { colour, highlight, intense, hidden };
        }
        return looks;
    }

    /** The positions of the field that `at` lies in, without its attribute. */
    fieldOf(at: number): number[] {
        const place = this.attributeOf(at);
        if (place === null) return Array.from({ length: this.length }, (_, n) => n);
        const positions: number[] = [];
        for (let n = 1; n < this.length; n++) {
            const next = this.wrap(place + n);
            if (this.cells[next]!.field !== null) break;
            positions.push(next);
        }
        return positions;
    }

    private modify(at: number): void {
        const place = this.attributeOf(at);
        if (place !== null) this.cells[place]!.field! |= MODIFIED;
    }

    /** A null where a character was. */
    clear(at: number): void {
        Object.assign(this.cells[at]!, { byte: 0, graphic: false });
    }

    // Keys that change the buffer.

    /** A character is typed; false if it is not taken. */
    type(byte: number): boolean {
        if (this.locked) return false;
        const at = this.cursor;
        if (!this.isInput(at)) return this.lock("X PROTECTED");
        const digits = byte >= 0xf0 && byte <= 0xf9;
        if (this.attribute(at) & NUMERIC && !digits && byte !== 0x4b && byte !== 0x60) return this.lock("X NUMERIC");
        if (this.insert && !this.makeRoom(at)) return this.lock("X OVERFLOW");
        Object.assign(this.cells[at]!, { byte, graphic: false });
        this.modify(at);
        this.cursor = this.wrap(at + 1);
        const here = this.cells[this.cursor]!;
        if (here.field !== null) {
            // Autoskip: a numeric protected field is jumped over.
            if (here.field & PROTECTED && here.field & NUMERIC) this.tab();
            else this.cursor = this.wrap(this.cursor + 1);
        }
        return true;
    }

    private lock(why: Screen["locked"]): boolean {
        this.locked = why;
        return false;
    }

    /** What lies from `at` to the first null of the field, or to a blank that ends it, moves right by one. */
    private makeRoom(at: number): boolean {
        const field = this.fieldOf(at);
        const rest = field.slice(field.indexOf(at));
        let gap = rest.findIndex((place) => this.cells[place]!.byte === 0);
        if (gap < 0 && this.cells[rest.at(-1)!]!.byte === 0x40) gap = rest.length - 1;
        if (gap < 0) return false;
        for (let n = gap; n > 0; n--) {
            const { byte, graphic } = this.cells[rest[n - 1]!]!;
            Object.assign(this.cells[rest[n]!]!, { byte, graphic });
        }
        return true;
    }

    /** DELETE. */
    deleteCharacter(): void {
        const at = this.cursor;
        if (this.locked) return;
        if (!this.isInput(at)) return void this.lock("X PROTECTED");
        const field = this.fieldOf(at);
        const rest = field.slice(field.indexOf(at));
        rest.forEach((place, n) => {
            const next = rest[n + 1];
            const { byte, graphic } = next === undefined ? blank() : this.cells[next]!;
            Object.assign(this.cells[place]!, { byte, graphic });
        });
        this.modify(at);
    }

    /** ERASE EOF. */
    eraseToEnd(): void {
        const at = this.cursor;
        if (this.locked) return;
        if (!this.isInput(at)) return void this.lock("X PROTECTED");
        const field = this.fieldOf(at);
        field.slice(field.indexOf(at)).forEach((place) => this.clear(place));
        this.modify(at);
    }

    /** ERASE INPUT. */
    eraseInput(): void {
        if (this.locked) return;
        this.cells.forEach((_, at) => {
            if (this.isInput(at)) this.clear(at);
        });
        for (const cell of this.cells) {
            if (cell.field !== null && !(cell.field & PROTECTED)) cell.field &= ~MODIFIED;
        }
        this.cursor = -1;
        this.tab();
    }

    /** TAB: to the first position of the next input field. */
    tab(): void {
        for (let n = 1; n <= this.length; n++) {
            const at = this.wrap(this.cursor + n);
            const before = this.cells[this.wrap(at - 1)]!.field;
            if (before !== null && !(before & PROTECTED) && this.cells[at]!.field === null) {
                this.cursor = at;
                return;
            }
        }
        this.cursor = 0;
    }

    /** BACKTAB: to the first position of this input field, or of the one before. */
    backTab(): void {
        for (let n = 1; n <= this.length; n++) {
            const at = this.wrap(this.cursor - n);
            const before = this.cells[this.wrap(at - 1)]!.field;
            if (before !== null && !(before & PROTECTED) && this.cells[at]!.field === null) {
                this.cursor = at;
                return;
            }
        }
        this.cursor = 0;
    }

    /** NEW LINE: the first input position of a row below. */
    newLine(): void {
        const { columns } = this.size;
        let at = this.wrap((Math.floor(this.cursor / columns) + 1) * columns);
        for (let n = 0; n < this.length; n++, at = this.wrap(at + 1)) {
            if (this.isInput(at)) break;
        }
        this.cursor = at;
    }

    /** HOME: the first input position. */
    home(): void {
        this.cursor = this.isFormatted() ? -1 : 0;
        if (this.cursor < 0) this.tab();
    }

    /** END: after the last character of the field. */
    end(): void {
        if (!this.isInput(this.cursor)) return;
        const field = this.fieldOf(this.cursor);
        let last = field.length - 1;
        while (last >= 0 && [0, 0x40].includes(this.cells[field[last]!]!.byte)) last--;
        this.cursor = field[Math.min(last + 1, field.length - 1)]!;
    }

    /** Moves the cursor by rows and columns, round the edges. */
    move(rows: number, columns: number): void {
        this.cursor = this.wrap(this.cursor + rows * this.size.columns + columns);
    }

    /** RESET. */
    reset(): void {
        this.insert = false;
        if (this.locked !== "X SYSTEM") this.locked = "";
    }
}
