// A curve over time, drawn as SVG: the newest value is at the right.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300, HEIGHT = 80;
/** How many values are shown. */
const VALUES = 120;

/** An element of SVG with its attributes. */
export function svg(name: string, attributes: Record<string, string | number>): SVGElement {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
}

export class Curve {
    readonly element = document.createElement("figure");
    private readonly values: number[] = [];
    private readonly line = svg("polyline", { points: "" });
    private readonly label = document.createElement("figcaption");
    private readonly picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });

    /** `least` is the least value that the top edge means. */
    constructor(private readonly name: string, private readonly unit: string, private readonly least: number) {
        this.element.className = "curve";
        this.picture.append(this.line);
        this.element.append(this.label, this.picture);
    }

    add(value: number): void {
        this.values.push(value);
        if (this.values.length > VALUES) this.values.shift();
        const top = Math.max(this.least, ...this.values);
        const points = this.values.map((each, n) => {
            const x = WIDTH - ((this.values.length - 1 - n) * WIDTH) / (VALUES - 1);
            return `${x.toFixed(1)},${(HEIGHT - 2 - (each / top) * (HEIGHT - 4)).toFixed(1)}`;
        });
        this.line.setAttribute("points", points.join(" "));
        const shown = value >= 100 ? value.toFixed(0) : value.toFixed(1);
        this.label.textContent = `${this.name}: ${shown} ${this.unit} (top ${top.toFixed(0)})`;
        this.picture.setAttribute("aria-label", this.label.textContent);
    }
}
