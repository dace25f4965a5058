// What an operator looks at: curves, storage, users with their consoles, disks, the spool, the log.

import { Curve, svg } from "./curve.js";

interface Processor { busy_seconds: number; emulation_seconds: number; dispatched: number; sie: number; started: number }
interface Storage {
    paged: boolean; real: number; paging_area: number; pageable: number; locked: number; free_storage: number;
    expanded: number; slots: number; slots_used: number; reads: number; writes: number;
}
interface Counters {
    up_seconds: number; system: string; processors: Processor[]; users: number; disconnected: number;
    dispatch_list: number; eligible_list: number; dormant: number; storage: Storage; spool_files: number;
    spool_pages: number;
}
interface User {
    userid: string; terminal: string | null; storage_mb: number; resident: number; virtual_seconds: number;
    total_seconds: number; started: number; ipl: string | null;
}
interface Extent { owner: string | null; vdev: string | null; start: number; end: number; links: number; overlaps: boolean }
interface Disk { number: string; serial: string; kind: string; units: number; unit: string; state: string; extents: Extent[] }
interface SpoolFile {
    owner: string; spid: number; queue: string; originator: string; class: string; name: string; records: number;
    held: boolean;
}
interface Lines { first: number; lines: string[] }

/** How many lines of a console are kept in the page. */
const LINES = 5000;

/** Asks the system; null where it refuses or cannot be reached. A page whose session has ended begins anew. */
export async function ask<T>(path: string): Promise<T | null> {
    try {
        const response = await fetch(path);
        if (response.status === 401) location.reload();
        return response.ok ? ((await response.json()) as T) : null;
    } catch {
        return null;
    }
}

function element(name: string, text = "", className = ""): HTMLElement {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    return made;
}

function table(heads: string[], rows: (string | HTMLElement)[][]): HTMLElement {
    const made = element("table");
    const head = element("tr");
    head.append(...heads.map((text) => {
        const cell = element("th", text);
        cell.setAttribute("scope", "col");
        return cell;
    }));
    made.append(head);
    for (const row of rows) {
        const line = element("tr");
        line.append(...row.map((cell) => {
            const made = element("td");
            made.append(cell);
            return made;
        }));
        made.append(line);
    }
    return made;
}

/** A bar in parts, as a map of what uses something. */
function map(parts: { size: number; kind: string; title: string }[], name: string): SVGElement {
    const all = parts.reduce((sum, part) => sum + part.size, 0) || 1;
    const picture = svg("svg", { viewBox: "0 0 1000 24", role: "img", "aria-label": name, class: "map" });
    picture.setAttribute("preserveAspectRatio", "none");
    let at = 0;
    for (const part of parts) {
        const width = (part.size / all) * 1000;
        const box = svg("rect", { x: at.toFixed(2), y: 0, width: width.toFixed(2), height: 24, class: part.kind });
        const title = svg("title", {});
        title.textContent = part.title;
        box.append(title);
        picture.append(box);
        at += width;
    }
    return picture;
}

/** Lines of a console, which grow. */
class Log {
    readonly element = element("pre", "", "log");
    private next = 0;
    private kept: string[] = [];
    constructor(private readonly path: string, label: string) {
        this.element.setAttribute("role", "log");
        this.element.setAttribute("aria-label", label);
        this.element.tabIndex = 0;
    }
    async refresh(): Promise<void> {
        const got = await ask<Lines>(`${this.path}?from=${this.next}`);
        if (!got || got.first + got.lines.length === this.next) return;
        if (got.first < this.next) this.kept = [];
        this.kept = [...this.kept, ...got.lines].slice(-LINES);
        this.next = got.first + got.lines.length;
        const low = this.element.scrollTop + this.element.clientHeight >= this.element.scrollHeight - 20;
        this.element.textContent = this.kept.map((line) => line + "\n").join("");
        if (low) this.element.scrollTop = this.element.scrollHeight;
    }
}

interface Part {
    /** How often it is asked for, in seconds, if that is not each second. */
    readonly pause?: number;
    refresh(): Promise<void>;
}

class System implements Part {
    private readonly curves = {
        busy: new Curve("Processors busy", "%", 100),
        emulation: new Curve("Of it virtual CPUs", "%", 100),
        sie: new Curve("SIE", "/s", 10),
        started: new Curve("I/O of guests", "/s", 10),
        queue: new Curve("Dispatch list", "virtual CPUs", 4),
        users: new Curve("Users", "logged on", 4),
        paging: new Curve("Page I/O", "pages/s", 10),
    };
    private readonly facts = element("p");
    private readonly storage = element("section");
    private before: Counters | null = null;

    constructor(place: HTMLElement) {
        const curves = element("div", "", "curves");
        curves.append(...Object.values(this.curves).map((curve) => curve.element));
        place.append(this.facts, curves, element("h2", "Storage"), this.storage);
    }

    async refresh(): Promise<void> {
        const now = await ask<Counters>("/api/counters");
        if (!now) return;
        const { before } = this;
        this.before = now;
        const sum = (counters: Counters, of: (it: Processor) => number): number =>
            counters.processors.reduce((all, it) => all + of(it), 0);
        if (before && now.up_seconds > before.up_seconds) {
            const seconds = now.up_seconds - before.up_seconds;
            const rate = (of: (it: Processor) => number): number => (sum(now, of) - sum(before, of)) / seconds;
            const percent = (of: (it: Processor) => number): number => (rate(of) * 100) / now.processors.length;
            this.curves.busy.add(percent((it) => it.busy_seconds));
            this.curves.emulation.add(percent((it) => it.emulation_seconds));
            this.curves.sie.add(rate((it) => it.sie));
            this.curves.started.add(rate((it) => it.started));
            const paged = (it: Storage): number => it.reads + it.writes;
            this.curves.paging.add((paged(now.storage) - paged(before.storage)) / seconds);
        }
        this.curves.queue.add(now.dispatch_list);
        this.curves.users.add(now.users);
        const hours = Math.floor(now.up_seconds / 3600), minutes = Math.floor(now.up_seconds / 60) % 60;
        this.facts.textContent = `${now.system}, up ${hours} h ${minutes} min; ${now.processors.length} processors; ` +
            `${now.users} users, ${now.disconnected} of them disconnected; ${now.dormant} virtual CPUs dormant, ` +
            `${now.eligible_list} eligible; spool: ${now.spool_files} files, ${now.spool_pages} pages`;
        this.showStorage(now.storage);
    }

    private showStorage(storage: Storage): void {
        const mb = (pages: number): string => `${(pages / 256).toFixed(1)} MB`;
        const rest = Math.max(0, storage.paging_area - storage.pageable - storage.locked);
        const cp = Math.max(0, storage.real - storage.paging_area);
        const parts = [
            { size: cp, kind: "k1", title: `CP: ${mb(cp)}` },
            { size: storage.pageable, kind: "k2", title: `Virtual machines: ${mb(storage.pageable)}` },
            { size: storage.locked, kind: "k3", title: `Locked: ${mb(storage.locked)}` },
            { size: rest, kind: "k0", title: `Available: ${mb(rest)}` },
        ];
        const rows = parts.map((part) => {
            const mark = element("span", "", `mark ${part.kind}`);
            return [mark, part.title];
        });
        if (storage.paged) {
            rows.push([element("span"), `Page slots: ${storage.slots_used} of ${storage.slots} in use`]);
            rows.push([element("span"), `Expanded storage: ${mb(storage.expanded)}`]);
        }
        this.storage.replaceChildren(map(parts, "Map of real storage"), table(["", "Real storage"], rows));
    }
}

class Users implements Part {
    private readonly list = element("div");
    private readonly place = element("section");
    private log: Log | null = null;

    constructor(place: HTMLElement, private readonly consoles: boolean) {
        place.append(this.list, this.place);
    }

    async refresh(): Promise<void> {
        await this.log?.refresh();
        const users = await ask<User[]>("/api/users");
        if (!users || this.list.contains(document.activeElement)) return;
        this.list.replaceChildren(table(
            ["User", "Terminal", "IPL", "Storage", "Resident", "Virtual time", "Total time", "I/O"],
            users.map((user) => [
                this.name(user.userid), user.terminal ?? "disconnected", user.ipl ?? "none", `${user.storage_mb} MB`,
                `${(user.resident / 256).toFixed(1)} MB`, `${user.virtual_seconds.toFixed(2)} s`,
                `${user.total_seconds.toFixed(2)} s`, String(user.started),
            ]),
        ));
    }

    private name(userid: string): HTMLElement {
        if (!this.consoles) return element("span", userid);
        const button = element("button", userid);
        button.title = "Shows what the console of this user is sent";
        button.onclick = () => {
            this.log = new Log(`/api/consoles/${encodeURIComponent(userid)}`, `Console of ${userid}`);
            this.place.replaceChildren(element("h2", `Console of ${userid}, from now on`), this.log.element);
            this.log.element.focus();
        };
        return button;
    }
}

class Disks implements Part {
    /** Of 20,000 minidisks the answer has 1.7 MB and takes the system 24 ms, and it changes by commands alone. */
    readonly pause = 10;
    constructor(private readonly place: HTMLElement) {}
    async refresh(): Promise<void> {
        const disks = await ask<Disk[]>("/api/disks");
        if (!disks) return;
        const open = new Set([...this.place.querySelectorAll("details[open]")].map((it) => it.id));
        this.place.replaceChildren(...disks.map((disk) => {
            const made = document.createElement("details");
            made.id = `disk-${disk.number}`;
            made.open = open.has(made.id);
            const summary = element("summary", `${disk.number} ${disk.serial} ${disk.kind} ${disk.state}, ` +
                `${disk.units} ${disk.unit}`);
            const name = (it: Extent): string => (it.owner ? `${it.owner} ${it.vdev}` : "free");
            const parts = disk.extents.map((it) => ({
                size: it.end - it.start + 1,
                kind: it.overlaps ? "k4" : it.owner ? (it.links > 0 ? "k2" : "k1") : "k0",
                title: `${name(it)}: ${it.start} to ${it.end}`,
            }));
            summary.append(map(parts, `Map of ${disk.serial}`));
            made.append(summary, table(["Minidisk", "From", "To", "Links"], disk.extents.map((it) =>
                [name(it) + (it.overlaps ? " (overlaps)" : ""), String(it.start), String(it.end), String(it.links)])));
            return made;
        }));
    }
}

class Spool implements Part {
    constructor(private readonly place: HTMLElement) {}
    async refresh(): Promise<void> {
        const files = await ask<SpoolFile[]>("/api/spool");
        if (!files) return;
        this.place.replaceChildren(table(
            ["Owner", "File", "Queue", "From", "Class", "Records", "Hold", "Name"],
            files.map((it) => [it.owner, String(it.spid).padStart(4, "0"), it.queue, it.originator, it.class,
                String(it.records), it.held ? "HOLD" : "NONE", it.name]),
        ));
    }
}

/** A part of the page for each view that the user may have. */
export function part(view: string, place: HTMLElement, views: string[]): Part | null {
    switch (view) {
        case "counters": return new System(place);
        case "users": return new Users(place, views.includes("consoles"));
        case "disks": return new Disks(place);
        case "spool": return new Spool(place);
        case "log": {
            const log = new Log("/api/log", "Operator's log");
            place.append(log.element);
            return log;
        }
        default: return null;
    }
}
