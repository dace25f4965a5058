// The page: logging on, and the parts that the user may see.

import { ask, part } from "./dashboard.js";
import { MODELS, Terminal } from "./terminal.js";

interface Session { userid: string; classes: string; views: string[] }

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const NAMES: Record<string, string> = {
    terminal: "Terminal", counters: "System", users: "Users", disks: "Disks", spool: "Spool", log: "Log",
};
const BUTTONS = ["ENTER", "CLEAR", "RESET", "ATTN", "SYSREQ", "PA1", "PA2", "PA3", "INSERT", "ERASE EOF", "ERASE INPUT",
    ...Array.from({ length: 24 }, (_, n) => `PF${n + 1}`)];

let terminal: Terminal | null = null;
let stop: (() => void) | null = null;

async function connect(): Promise<void> {
    terminal?.close();
    const session = await ask<Session>("/api/session");
    const codePage = await ask<string>("/api/codepage");
    if (session === null || codePage === null) return;
    const model = byId<HTMLSelectElement>("model").value;
    localStorage.setItem("model", model);
    byId("screen").replaceChildren();
    byId("reconnect").hidden = true;
    const ended = (): void => {
        byId("reconnect").hidden = false;
    };
    byId("screen").className = `model${model}`;
    terminal = new Terminal(byId("screen"), byId("status"), byId("voice"), model, codePage, ended);
}

/** Shows one view, and asks for it again for as long as it is seen: each second, or as often as it wants. */
function show(view: string, views: string[]): void {
    stop?.();
    stop = null;
    for (const tab of document.querySelectorAll<HTMLElement>("#tabs button")) {
        tab.setAttribute("aria-selected", String(tab.dataset["view"] === view));
    }
    byId("terminal").hidden = view !== "terminal";
    byId("part").hidden = view === "terminal";
    byId("part").replaceChildren();
    if (view === "terminal") return byId("screen").focus();
    const made = part(view, byId("part"), views);
    let going = true;
    stop = () => {
        going = false;
    };
    const round = async (): Promise<void> => {
        if (!going) return;
        if (!document.hidden) await made?.refresh();
        setTimeout(() => void round(), 1000 * (made?.pause ?? 1));
    };
    void round();
}

function enter(session: Session): void {
    byId("logon").hidden = true;
    byId("desk").hidden = false;
    byId("who").textContent = `${session.userid}, class ${session.classes}`;
    const views = ["terminal", ...session.views.filter((view) => view in NAMES)];
    byId("tabs").replaceChildren(...views.map((view) => {
        const tab = document.createElement("button");
        tab.setAttribute("role", "tab");
        tab.dataset["view"] = view;
        tab.textContent = NAMES[view]!;
        tab.onclick = () => show(view, session.views);
        return tab;
    }));
    show("terminal", session.views);
    void connect();
}

async function logOn(event: Event): Promise<void> {
    event.preventDefault();
    const password = byId<HTMLInputElement>("password");
    const body = JSON.stringify({ userid: byId<HTMLInputElement>("userid").value, password: password.value });
    password.value = "";
    try {
        const response = await fetch("/api/session", {
            method: "POST", headers: { "content-type": "application/json" }, body,
        });
        const answer = await response.json();
        if (response.ok) return enter(answer as Session);
        byId("wrong").textContent = (answer as { error: string }).error;
    } catch {
        byId("wrong").textContent = "the system does not answer";
    }
    password.focus();
}

async function logOff(): Promise<void> {
    terminal?.close();
    await fetch("/api/session", { method: "DELETE" });
    location.reload();
}

async function begin(): Promise<void> {
    const model = byId<HTMLSelectElement>("model");
    model.append(...Object.entries(MODELS).map(([number, { rows, columns }]) =>
        new Option(`Model ${number}: ${rows} × ${columns}`, number)));
    model.value = localStorage.getItem("model") ?? "2";
    model.onchange = () => void connect();
    byId("keys").append(...BUTTONS.map((name) => {
        const button = document.createElement("button");
        button.textContent = name;
        button.onclick = () => {
            terminal?.press(name);
            byId("screen").focus();
        };
        return button;
    }));
    byId("reconnect").onclick = () => void connect();
    byId("form").onsubmit = (event) => void logOn(event);
    byId("off").onclick = () => void logOff();
    const answer = await fetch("/api/session").catch(() => null);
    if (answer?.ok) return enter((await answer.json()) as Session);
    byId("logon").hidden = false;
    byId("userid").focus();
}

void begin();
