const IAC = 255, EOR = 239, SE = 240, BREAK = 243, ABORT_OUTPUT = 245, SB = 250;
const WILL = 251, WONT = 252, DO = 253, DONT = 254;
const TN3270E = 40;
const CONNECT = 1, DEVICE_TYPE = 2, FUNCTIONS = 3, IS = 4, REJECT = 6, REQUEST = 7, SEND = 8;
const DATA_3270 = 0, RESPONSE = 2;
const NO_RESPONSE = 0, ALWAYS = 2;
const WANTED = [0, 2, 4];
const ascii = (text) => [...text].map((c) => c.charCodeAt(0));
export class Telnet {
    deviceType;
    listener;
    send;
    state = "data";
    verb = 0;
    sub = [];
    data = [];
    device = "";
    constructor(deviceType, listener, send) {
        this.deviceType = deviceType;
        this.listener = listener;
        this.send = send;
    }
    receive(bytes) {
        for (const byte of bytes)
            this.push(byte);
    }
    inbound(record) {
        this.sendRecord([DATA_3270, 0, 0, 0, 0], record);
    }
    attention() {
        this.send(Uint8Array.of(IAC, BREAK));
    }
    systemRequest() {
        this.send(Uint8Array.of(IAC, ABORT_OUTPUT));
    }
    sendRecord(header, record) {
        const escaped = [...header, ...record].flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte]));
        this.send(Uint8Array.from([...escaped, IAC, EOR]));
    }
    push(byte) {
        switch (this.state) {
            case "data":
                if (byte === IAC)
                    this.state = "iac";
                else
                    this.data.push(byte);
                break;
            case "iac":
                this.state = "data";
                if (byte === IAC)
                    this.data.push(byte);
                else if (byte === EOR)
                    this.endOfRecord();
                else if (byte === SB)
                    [this.state, this.sub] = ["sub", []];
                else if (byte >= WILL && byte <= DONT)
                    [this.state, this.verb] = ["verb", byte];
                break;
            case "verb":
                this.state = "data";
                this.negotiate(this.verb, byte);
                break;
            case "sub":
                if (byte === IAC)
                    this.state = "sub-iac";
                else
                    this.sub.push(byte);
                break;
            case "sub-iac":
                this.state = byte === IAC ? "sub" : "data";
                if (byte === IAC)
                    this.sub.push(byte);
                else if (byte === SE)
                    this.subnegotiation(this.sub);
                break;
        }
    }
    negotiate(verb, option) {
        if (verb === DO)
            this.send(Uint8Array.of(IAC, option === TN3270E ? WILL : WONT, option));
        if (verb === WILL)
            this.send(Uint8Array.of(IAC, DONT, option));
        if (verb === DONT && option === TN3270E)
            this.listener.refused("the system does not speak TN3270E");
    }
    subnegotiation(text) {
        if (text[0] !== TN3270E)
            return;
        const [, one, two, ...rest] = text;
        if (one === SEND && two === DEVICE_TYPE) {
            this.subnegotiate(DEVICE_TYPE, REQUEST, ...ascii(this.deviceType));
        }
        else if (one === DEVICE_TYPE && two === IS) {
            const at = rest.indexOf(CONNECT);
            this.device = at < 0 ? "" : String.fromCharCode(...rest.slice(at + 1));
            this.subnegotiate(FUNCTIONS, REQUEST, ...WANTED);
        }
        else if (one === DEVICE_TYPE && two === REJECT) {
            this.listener.refused(`the system refuses a terminal of type ${this.deviceType}`);
        }
        else if (one === FUNCTIONS && two === REQUEST) {
            const known = rest.filter((code) => WANTED.includes(code));
            const taken = known.length === rest.length;
            this.subnegotiate(FUNCTIONS, taken ? IS : REQUEST, ...known);
            if (taken)
                this.listener.bound(this.device);
        }
        else if (one === FUNCTIONS && two === IS) {
            this.listener.bound(this.device);
        }
    }
    subnegotiate(...text) {
        this.send(Uint8Array.from([IAC, SB, TN3270E, ...text, IAC, SE]));
    }
    endOfRecord() {
        const [type, , response, high, low, ...record] = this.data;
        this.data = [];
        if (type !== DATA_3270)
            return;
        const good = this.listener.record(Uint8Array.from(record));
        if (response === NO_RESPONSE || (good && response !== ALWAYS))
            return;
        this.sendRecord([RESPONSE, 0, good ? 0 : 1, high ?? 0, low ?? 0], [good ? 0 : 2]);
    }
}
