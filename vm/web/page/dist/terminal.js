import { Screen } from "./screen.js";
import { Stream } from "./stream.js";
import { Telnet } from "./telnet.js";
export const MODELS = {
    "2": { rows: 24, columns: 80 },
    "3": { rows: 32, columns: 80 },
    "4": { rows: 43, columns: 80 },
    "5": { rows: 27, columns: 132 },
};
const GRAPHIC = {
    0xc5: "┌", 0xd5: "┐", 0xc4: "└", 0xd4: "┘", 0xa2: "─", 0x85: "│", 0xc6: "├", 0xd6: "┤", 0xd7: "┬", 0xc7: "┴",
    0xd3: "┼",
};
const ENTER = 0x7d, CLEAR = 0x6d;
const PF = [0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x7b, 0x7c, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6,
    0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c];
const PA = [0x6c, 0x6e, 0x6b];
const SESSION_ENDED = 1008;
const AHEAD = 500;
const KEYS = {
    "Enter": "ENTER", "S+Enter": "NEWLINE", "Pause": "CLEAR", "A+c": "CLEAR", "Escape": "RESET", "A+r": "RESET",
    "A+a": "ATTN", "A+s": "SYSREQ", "A+1": "PA1", "A+2": "PA2", "A+3": "PA3", "PageUp": "PF7", "PageDown": "PF8",
    "A+e": "ERASE EOF", "C+Delete": "ERASE EOF", "A+i": "ERASE INPUT", "Insert": "INSERT", "Delete": "DELETE",
    "Backspace": "BACKSPACE", "Tab": "TAB", "S+Tab": "BACKTAB", "Home": "HOME", "End": "END", "ArrowUp": "UP",
    "ArrowDown": "DOWN", "ArrowLeft": "LEFT", "ArrowRight": "RIGHT",
};
export class Terminal {
    view;
    status;
    voice;
    codePage;
    closed;
    screen;
    stream;
    telnet;
    socket;
    encoding = new Map();
    rows = [];
    shown = [];
    ahead = [];
    device = "";
    ended = "";
    said = "";
    due = false;
    constructor(view, status, voice, model, codePage, closed) {
        this.view = view;
        this.status = status;
        this.voice = voice;
        this.codePage = codePage;
        this.closed = closed;
        [...codePage].forEach((character, byte) => {
            if (byte >= 0x40 && !this.encoding.has(character))
                this.encoding.set(character, byte);
        });
        this.screen = new Screen(MODELS[model]);
        this.stream = new Stream(this.screen);
        const url = new URL("/api/terminal", location.href);
        url.protocol = url.protocol.replace("http", "ws");
        this.socket = new WebSocket(url);
        this.socket.binaryType = "arraybuffer";
        this.telnet = new Telnet(`IBM-3279-${model}-E`, {
            bound: (device) => {
                this.device = device;
                this.paint();
            },
            record: (bytes) => this.record(bytes),
            refused: (why) => this.end(why),
        }, (bytes) => {
            if (this.socket.readyState === WebSocket.OPEN)
                this.socket.send(bytes.slice().buffer);
        });
        this.socket.onmessage = (event) => this.telnet.receive(new Uint8Array(event.data));
        this.socket.onclose = (event) => {
            if (event.code === SESSION_ENDED && !this.ended)
                location.reload();
            this.end("The system has ended the connection.");
        };
        view.onkeydown = (event) => this.keyDown(event);
        view.onpaste = (event) => this.paste(event);
        view.oncopy = (event) => this.copy(event);
        view.onclick = (event) => this.click(event);
        this.paint();
        view.focus();
    }
    close() {
        this.ended = " ";
        this.socket.close();
    }
    end(why) {
        if (this.ended)
            return;
        this.ended = why;
        this.screen.locked = "X SYSTEM";
        this.paint();
        this.closed();
    }
    record(bytes) {
        const effects = this.stream.perform(bytes);
        if (effects?.reply)
            this.telnet.inbound(effects.reply);
        if (effects?.alarm)
            this.alarm();
        while (!this.screen.locked && this.ahead.length > 0)
            this.ahead.shift()();
        this.paint();
        return effects !== null;
    }
    alarm() {
        this.view.classList.add("alarm");
        setTimeout(() => this.view.classList.remove("alarm"), 300);
    }
    keyDown(event) {
        if (event.isComposing || event.metaKey)
            return;
        if (event.altKey && event.key === "t") {
            event.preventDefault();
            document.querySelector("#keys button")?.focus();
            return;
        }
        const modified = (event.altKey ? "A+" : "") + (event.ctrlKey ? "C+" : "");
        const shift = event.shiftKey && event.key.length > 1 ? "S+" : "";
        const pf = /^F([1-9]|1[0-2])$/.exec(event.key);
        const name = pf && !modified ? `PF${Number(pf[1]) + (event.shiftKey ? 12 : 0)}` : KEYS[modified + shift + event.key];
        if (name) {
            event.preventDefault();
            this.press(name);
        }
        else if (event.key.length === 1 && (!modified || event.getModifierState("AltGraph"))) {
            event.preventDefault();
            this.later(() => this.type(event.key));
        }
    }
    press(name) {
        if (this.ended)
            return;
        if (name === "RESET") {
            this.ahead = [];
            this.screen.reset();
            this.paint();
        }
        else if (name === "ATTN")
            this.telnet.attention();
        else if (name === "SYSREQ")
            this.telnet.systemRequest();
        else
            this.later(() => this.perform(name));
    }
    later(what) {
        if (!this.screen.locked) {
            what();
            this.paint();
        }
        else if (this.screen.locked === "X SYSTEM" && this.ahead.length < AHEAD) {
            this.ahead.push(what);
        }
    }
    perform(name) {
        const { screen } = this;
        const numbered = /^(PF|PA)(\d+)$/.exec(name);
        if (numbered)
            return this.attention((numbered[1] === "PF" ? PF : PA)[Number(numbered[2]) - 1]);
        switch (name) {
            case "ENTER": return this.attention(ENTER);
            case "CLEAR":
                screen.erase(false);
                return this.attention(CLEAR);
            case "ERASE EOF": return screen.eraseToEnd();
            case "ERASE INPUT": return screen.eraseInput();
            case "INSERT":
                screen.insert = !screen.insert;
                return;
            case "DELETE": return screen.deleteCharacter();
            case "BACKSPACE":
                if (!screen.isInput(screen.wrap(screen.cursor - 1)))
                    return;
                screen.move(0, -1);
                return screen.deleteCharacter();
            case "TAB": return screen.tab();
            case "BACKTAB": return screen.backTab();
            case "NEWLINE": return screen.newLine();
            case "HOME": return screen.home();
            case "END": return screen.end();
            case "UP": return screen.move(-1, 0);
            case "DOWN": return screen.move(1, 0);
            case "LEFT": return screen.move(0, -1);
            case "RIGHT": return screen.move(0, 1);
        }
    }
    attention(aid) {
        this.screen.insert = false;
        this.screen.locked = "X SYSTEM";
        this.stream.aid = aid;
        this.telnet.inbound(this.stream.readModified(aid, false));
    }
    type(character) {
        const byte = this.encoding.get(character);
        if (byte === undefined)
            this.alarm();
        else
            this.screen.type(byte);
    }
    paste(event) {
        event.preventDefault();
        const lines = (event.clipboardData?.getData("text/plain") ?? "").replace(/\t/g, " ").split(/\r?\n/);
        this.later(() => {
            const start = this.screen.cursor;
            const column = start % this.screen.size.columns;
            lines.forEach((line, n) => {
                if (n > 0) {
                    if (line === "" && n === lines.length - 1)
                        return;
                    const row = Math.floor(start / this.screen.size.columns) + n;
                    this.screen.cursor = this.screen.wrap(row * this.screen.size.columns + column);
                }
                for (const character of line) {
                    if (this.screen.locked)
                        return;
                    this.type(character);
                }
            });
        });
    }
    copy(event) {
        const text = getSelection()?.toString();
        if (!text)
            return;
        event.preventDefault();
        event.clipboardData?.setData("text/plain", text.split("\n").map((row) => row.trimEnd()).join("\n"));
    }
    click(event) {
        this.view.focus();
        if (getSelection()?.toString())
            return;
        const row = this.rows.findIndex((element) => element.contains(event.target));
        if (row < 0)
            return;
        const { left, width } = this.rows[row].getBoundingClientRect();
        const { columns } = this.screen.size;
        const column = Math.floor(((event.clientX - left) * columns) / width);
        this.screen.cursor = row * columns + Math.min(Math.max(column, 0), columns - 1);
        this.paint();
    }
    paint() {
        if (this.due)
            return;
        this.due = true;
        setTimeout(() => {
            this.due = false;
            this.show();
        }, 8);
    }
    show() {
        const { screen } = this;
        const { rows, columns } = screen.size;
        while (this.rows.length < rows) {
            const row = document.createElement("div");
            row.className = "row";
            this.view.append(row);
            this.rows.push(row);
        }
        while (this.rows.length > rows)
            this.rows.pop().remove();
        const looks = screen.looks();
        const changed = [];
        for (let row = 0; row < rows; row++) {
            const runs = [];
            let line = "";
            for (let at = row * columns; at < (row + 1) * columns; at++) {
                const cell = screen.cells[at];
                const look = looks[at];
                let text = cell.graphic ? (GRAPHIC[cell.byte] ?? "·") : (this.codePage[cell.byte] ?? " ");
                if (look.hidden || cell.byte < 0x40)
                    text = " ";
                line += text;
                const style = `c${look.colour & 7}${look.intense ? " bright" : ""}` +
                    (look.hidden ? "" : (["", " blink", " reverse", "", " under"][look.highlight & 7] ?? "")) +
                    (at === screen.cursor ? (screen.insert ? " cursor insert" : " cursor") : "");
                const last = runs.at(-1);
                if (last && last[0] === style)
                    last[1] += text;
                else
                    runs.push([style, text]);
            }
            const key = JSON.stringify(runs);
            if (this.shown[row] === key)
                continue;
            this.shown[row] = key;
            if (line.trim())
                changed.push(line.trim());
            this.rows[row].replaceChildren(...runs.map(([style, text]) => {
                const span = document.createElement("span");
                span.className = style;
                span.textContent = text;
                return span;
            }));
        }
        this.shown.length = rows;
        const where = `${Math.floor(screen.cursor / columns) + 1}/${(screen.cursor % columns) + 1}`;
        const state = this.ended.trim() || screen.locked || "ready";
        this.status.textContent = [this.device, state, screen.insert ? "INSERT" : "", where].filter(Boolean).join("   ");
        const spoken = changed.join("\n");
        if (spoken && spoken !== this.said && screen.locked !== "X SYSTEM") {
            this.said = spoken;
            this.voice.textContent = spoken;
        }
    }
}
