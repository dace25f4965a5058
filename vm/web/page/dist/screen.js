const blank = () => ({ byte: 0, graphic: false, field: null, colour: 0, highlight: 0 });
export const PROTECTED = 0x20, NUMERIC = 0x10, DISPLAY = 0x0c, MODIFIED = 0x01;
export const INTENSIFIED = 0x08, NONDISPLAY = 0x0c;
export class Screen {
    alternate;
    cells = [];
    size;
    cursor = 0;
    insert = false;
    locked = "X SYSTEM";
    constructor(alternate) {
        this.alternate = alternate;
        this.size = { rows: 24, columns: 80 };
        this.erase(false);
    }
    get length() {
        return this.cells.length;
    }
    erase(alternate) {
        this.size = alternate ? this.alternate : { rows: 24, columns: 80 };
        this.cells = Array.from({ length: this.size.rows * this.size.columns }, blank);
        this.cursor = 0;
        this.insert = false;
    }
    wrap(at) {
        return ((at % this.length) + this.length) % this.length;
    }
    attributeOf(at) {
        for (let n = 0; n < this.length; n++) {
            const place = this.wrap(at - n);
            if (this.cells[place].field !== null)
                return place;
        }
        return null;
    }
    attribute(at) {
        const place = this.attributeOf(at);
        return place === null ? 0 : this.cells[place].field;
    }
    isFormatted() {
        return this.cells.some((cell) => cell.field !== null);
    }
    isInput(at) {
        return this.cells[at].field === null && !(this.attribute(at) & PROTECTED);
    }
    looks() {
        const start = this.cells.findIndex((cell) => cell.field !== null);
        let governing = null;
        const looks = new Array(this.length);
        for (let n = 0; n < this.length; n++) {
            const at = this.wrap(n + Math.max(start, 0));
            const cell = this.cells[at];
            if (cell.field !== null)
                governing = cell;
            const field = governing?.field ?? 0;
            const intense = (field & DISPLAY) === INTENSIFIED;
            const usual = field & PROTECTED ? (intense ? 0xf7 : 0xf1) : intense ? 0xf2 : 0xf4;
            const colour = cell.colour || governing?.colour || (governing ? usual : 0xf4);
            const highlight = cell.highlight || governing?.highlight || 0;
            const hidden = (field & DISPLAY) === NONDISPLAY || cell.field !== null;
            looks[at] = { colour, highlight, intense, hidden };
        }
        return looks;
    }
    fieldOf(at) {
        const place = this.attributeOf(at);
        if (place === null)
            return Array.from({ length: this.length }, (_, n) => n);
        const positions = [];
        for (let n = 1; n < this.length; n++) {
            const next = this.wrap(place + n);
            if (this.cells[next].field !== null)
                break;
            positions.push(next);
        }
        return positions;
    }
    modify(at) {
        const place = this.attributeOf(at);
        if (place !== null)
            this.cells[place].field |= MODIFIED;
    }
    clear(at) {
        Object.assign(this.cells[at], { byte: 0, graphic: false });
    }
    type(byte) {
        if (this.locked)
            return false;
        const at = this.cursor;
        if (!this.isInput(at))
            return this.lock("X PROTECTED");
        const digits = byte >= 0xf0 && byte <= 0xf9;
        if (this.attribute(at) & NUMERIC && !digits && byte !== 0x4b && byte !== 0x60)
            return this.lock("X NUMERIC");
        if (this.insert && !this.makeRoom(at))
            return this.lock("X OVERFLOW");
        Object.assign(this.cells[at], { byte, graphic: false });
        this.modify(at);
        this.cursor = this.wrap(at + 1);
        const here = this.cells[this.cursor];
        if (here.field !== null) {
            if (here.field & PROTECTED && here.field & NUMERIC)
                this.tab();
            else
                this.cursor = this.wrap(this.cursor + 1);
        }
        return true;
    }
    lock(why) {
        this.locked = why;
        return false;
    }
    makeRoom(at) {
        const field = this.fieldOf(at);
        const rest = field.slice(field.indexOf(at));
        let gap = rest.findIndex((place) => this.cells[place].byte === 0);
        if (gap < 0 && this.cells[rest.at(-1)].byte === 0x40)
            gap = rest.length - 1;
        if (gap < 0)
            return false;
        for (let n = gap; n > 0; n--) {
            const { byte, graphic } = this.cells[rest[n - 1]];
            Object.assign(this.cells[rest[n]], { byte, graphic });
        }
        return true;
    }
    deleteCharacter() {
        const at = this.cursor;
        if (this.locked)
            return;
        if (!this.isInput(at))
            return void this.lock("X PROTECTED");
        const field = this.fieldOf(at);
        const rest = field.slice(field.indexOf(at));
        rest.forEach((place, n) => {
            const next = rest[n + 1];
            const { byte, graphic } = next === undefined ? blank() : this.cells[next];
            Object.assign(this.cells[place], { byte, graphic });
        });
        this.modify(at);
    }
    eraseToEnd() {
        const at = this.cursor;
        if (this.locked)
            return;
        if (!this.isInput(at))
            return void this.lock("X PROTECTED");
        const field = this.fieldOf(at);
        field.slice(field.indexOf(at)).forEach((place) => this.clear(place));
        this.modify(at);
    }
    eraseInput() {
        if (this.locked)
            return;
        this.cells.forEach((_, at) => {
            if (this.isInput(at))
                this.clear(at);
        });
        for (const cell of this.cells) {
            if (cell.field !== null && !(cell.field & PROTECTED))
                cell.field &= ~MODIFIED;
        }
        this.cursor = -1;
        this.tab();
    }
    tab() {
        for (let n = 1; n <= this.length; n++) {
            const at = this.wrap(this.cursor + n);
            const before = this.cells[this.wrap(at - 1)].field;
            if (before !== null && !(before & PROTECTED) && this.cells[at].field === null) {
                this.cursor = at;
                return;
            }
        }
        this.cursor = 0;
    }
    backTab() {
        for (let n = 1; n <= this.length; n++) {
            const at = this.wrap(this.cursor - n);
            const before = this.cells[this.wrap(at - 1)].field;
            if (before !== null && !(before & PROTECTED) && this.cells[at].field === null) {
                this.cursor = at;
                return;
            }
        }
        this.cursor = 0;
    }
    newLine() {
        const { columns } = this.size;
        let at = this.wrap((Math.floor(this.cursor / columns) + 1) * columns);
        for (let n = 0; n < this.length; n++, at = this.wrap(at + 1)) {
            if (this.isInput(at))
                break;
        }
        this.cursor = at;
    }
    home() {
        this.cursor = this.isFormatted() ? -1 : 0;
        if (this.cursor < 0)
            this.tab();
    }
    end() {
        if (!this.isInput(this.cursor))
            return;
        const field = this.fieldOf(this.cursor);
        let last = field.length - 1;
        while (last >= 0 && [0, 0x40].includes(this.cells[field[last]].byte))
            last--;
        this.cursor = field[Math.min(last + 1, field.length - 1)];
    }
    move(rows, columns) {
        this.cursor = this.wrap(this.cursor + rows * this.size.columns + columns);
    }
    reset() {
        this.insert = false;
        if (this.locked !== "X SYSTEM")
            this.locked = "";
    }
}
