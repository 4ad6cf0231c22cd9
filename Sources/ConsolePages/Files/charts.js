// Charts of what the server did: axes, and the value under the pointer or the keys (rules CO-81 to CO-84).
import { choice, element, number, put } from "/console/parts.js";

const perSecond = (value) => `${value >= 100 ? number(Math.round(value)) : Number(value.toPrecision(value < 1 ? 1 : 2))}/s`;
const duration = (value) => value < 1000 ? `${number(value)} µs` : `${Number((value / 1000).toPrecision(3))} ms`;

/** Text of values, and the smallest distance of lines of the axis. */
export const series = {
  connections: { name: "Connections", show: number, least: 1 },
  messages: { name: "Messages received", show: perSecond, least: 0 },
  deliveries: { name: "Deliveries", show: perSecond, least: 0 },
  errors: { name: "Errors", show: perSecond, least: 0 },
  delay: { name: "Loop delay", show: duration, least: 1 },
};
const spans = { "5m": "five minutes", "1h": "hour", "6h": "six hours", "24h": "day" };
/** Seconds between names on the axis of time, of which the shortest that leaves room is taken. */
const intervals = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 14400, 21600, 43200];
const [height, left, right, top, bottom] = [150, 62, 12, 10, 22];

const moment = (seconds, options) => new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...options });

function draw(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Round values from 0 to the highest one or above: 1, 2 or 5 times a power of ten apart, six at most. */
export function valueTicks(highest, least) {
  const raw = (highest || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) * power, least);
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

/** Moments between two others, at full minutes or hours of the clock on the wall, at most `room` of them. */
export function timeTicks(start, end, room) {
  const step = intervals.find((each) => (end - start) / each <= room) ?? 86400;
  const shift = new Date(end * 1000).getTimezoneOffset() * 60;
  const made = [];
  for (let at = Math.ceil((start - shift) / step) * step + shift; at <= end; at += step) made.push(at);
  return made;
}

/** One series: a picture that is read with the pointer, and with the keys while it has the focus. */
class Plot {
  constructor(key, point) {
    this.key = key;
    this.kind = series[key];
    this.summary = element("span", { class: "soft" });
    this.reading = element("span", { class: "reading" });
    this.picture = draw("svg", { class: "chart", height, "aria-hidden": "true" });
    this.field = element("div", {
      class: "plot", tabindex: "0", role: "slider", "aria-orientation": "horizontal", "aria-valuemin": "0",
      onpointermove: (event) => point(this.indexAt(event)), onpointerdown: (event) => point(this.indexAt(event)),
      onpointerleave: () => point(null), onblur: () => point(null),
      onfocus: () => { if (this.field.matches(":focus-visible")) point(Infinity); },
      onkeydown: (event) => this.press(event, point),
    }, this.picture);
    this.element = element("figure", { "data-series": key },
      element("figcaption", {}, element("strong", {}, this.kind.name), this.summary, this.reading), this.field);
  }

  press(event, point) {
    const last = this.values.length - 1;
    const now = this.index ?? last;
    const places = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1,
      PageDown: now - 10, PageUp: now + 10, Home: 0, End: last, Escape: null };
    if (!Object.hasOwn(places, event.key)) return;
    event.preventDefault();
    point(places[event.key]);
  }

  indexAt(event) {
    const inside = this.width - left - right;
    const share = (event.clientX - this.field.getBoundingClientRect().left - left) / inside;
    return Math.round(share * (this.values.length - 1));
  }

  /** Draws all but what is pointed at. */
  show(told) {
    this.told = told;
    this.values = told.series[this.key];
    this.width = Math.max(this.field.clientWidth, left + right + 40);
    this.picture.setAttribute("width", this.width);
    const known = this.values.filter((value) => value !== null);
    const highest = Math.max(0, ...known);
    const ticks = valueTicks(highest, this.kind.least);
    const end = told.start + told.step * (this.values.length - 1);
    const [ground, inside] = [height - bottom, this.width - left - right];
    this.x = (index) => left + index * inside / Math.max(this.values.length - 1, 1);
    this.y = (value) => ground - value / ticks.at(-1) * (ground - top);
    this.picture.replaceChildren();
    for (const tick of ticks) {
      this.picture.append(draw("line", { class: tick ? "grid" : "axis", x1: left, x2: this.width - right, y1: this.y(tick), y2: this.y(tick) }),
        draw("text", { x: left - 6, y: this.y(tick) + 4, "text-anchor": "end" }, this.kind.show(tick)));
    }
    for (const tick of timeTicks(told.start, end, inside / 62)) {
      const x = left + (tick - told.start) / Math.max(end - told.start, 1) * inside;
      this.picture.append(draw("line", { class: "axis", x1: x, x2: x, y1: ground, y2: ground + 4 }),
        draw("text", { x: Math.min(x, this.width - 18), y: height - 5, "text-anchor": "middle" }, moment(tick)));
    }
    this.picture.append(...this.lines(ground));
    this.mark = draw("g", { class: "mark" });
    this.picture.append(this.mark);
    this.field.setAttribute("aria-valuemax", this.values.length - 1);
    const latest = known.length ? this.kind.show(known.at(-1)) : "unknown";
    this.summary.textContent = known.length ? `now ${latest}, at most ${this.kind.show(highest)}` : "nothing is known yet";
    this.field.setAttribute("aria-label", `${this.kind.name} in the last ${spans[told.span]}; the arrow keys choose a time`);
  }

  /** The curve, with a gap wherever nothing is known. */
  lines(ground) {
    const parts = [];
    this.values.forEach((value, index) => {
      if (value === null) return;
      if (index === 0 || this.values[index - 1] === null) parts.push([]);
      parts.at(-1).push([this.x(index).toFixed(1), this.y(value).toFixed(1)]);
    });
    const path = (part) => `M${part.map((place) => place.join(" ")).join("L")}${part.length === 1 ? "h0" : ""}`;
    return [draw("path", { class: "area", d: parts.map((part) => `${path(part)}V${ground}H${part[0][0]}Z`).join("") }),
      draw("path", { class: "curve", d: parts.map(path).join("") })];
  }

  /** Shows the value at an index, or that nothing is pointed at. */
  point(index) {
    this.index = index;
    this.mark.replaceChildren();
    const at = index ?? this.values.length - 1;
    const value = this.values[at] ?? null;
    const text = `${this.when(at)}: ${value === null ? "unknown" : this.kind.show(value)}`;
    this.field.setAttribute("aria-valuenow", at);
    this.field.setAttribute("aria-valuetext", text);
    put(this.reading, index !== null && text);
    // One takes the place of the other, so that nothing moves below the pointer.
    this.summary.hidden = index !== null;
    if (index === null) return;
    const x = this.x(index);
    this.mark.append(draw("line", { x1: x, x2: x, y1: top, y2: height - bottom }));
    if (value !== null) this.mark.append(draw("circle", { cx: x, cy: this.y(value), r: 4 }));
  }

  when(index) {
    const { start, step } = this.told;
    const from = start + index * step;
    const options = step < 60 ? { second: "2-digit" } : {};
    return step === 1 ? moment(from, options) : `${moment(from, options)} to ${moment(from + step, options)}`;
  }
}

/** The charts of the overview: which series, over which span. The address keeps the choice. */
export function charts(context) {
  const wanted = (context.parameters.get("series") ?? "connections,deliveries").split(",").filter((key) => Object.hasOwn(series, key));
  let span = Object.hasOwn(spans, context.parameters.get("span") ?? "") ? context.parameters.get("span") : "5m";
  let [plots, told, pointed] = [[], null, null];
  const place = element("div", { class: "plots" });

  /** What is pointed at stays the same moment while time goes on. */
  const show = () => {
    if (!told) return;
    const last = Math.round((told.series.connections.length - 1));
    const index = pointed === null ? null : Math.round((pointed - told.start) / told.step);
    for (const plot of plots) {
      plot.show(told);
      plot.point(index === null || index < 0 ? null : Math.min(index, last));
    }
  };
  const point = (index) => {
    if (!told) return;
    const last = told.series.connections.length - 1;
    const known = index === null || Number.isNaN(index) ? null : Math.min(Math.max(index, 0), last);
    pointed = known === null ? null : told.start + known * told.step;
    for (const plot of plots) plot.point(known);
  };
  const load = async () => {
    const answer = await context.ask("history", { span });
    if (context.isOver || answer.span !== span) return;
    told = answer;
    show();
  };
  const arrange = () => {
    const chosen = [...form.querySelectorAll("input:checked")].map((box) => box.value);
    plots = chosen.map((key) => plots.find((plot) => plot.key === key) ?? new Plot(key, point));
    put(place, plots.map((plot) => plot.element), !plots.length && element("p", { class: "soft" }, "Choose what to show."));
    show();
  };
  const form = element("form", { class: "bar-form", onsubmit: (event) => event.preventDefault(), onchange: () => {
    const next = form.elements.span.value;
    if (next !== span) { [span, told, pointed, asked] = [next, null, null, 0]; refresh().catch(() => {}); }
    arrange();
    history.replaceState(null, "", `#overview?${new URLSearchParams({ span, series: plots.map((plot) => plot.key).join(",") })}`);
  } },
    choice("Over the last", "span", Object.entries(spans), span),
    element("fieldset", {}, element("legend", {}, "Show"), Object.entries(series).map(([key, { name }]) =>
      element("label", { class: "check" }, element("input", { type: "checkbox", name: "series", value: key, checked: wanted.includes(key) }), name))));
  let asked = 0;
  /** Asks as often as there is something new to see: longer spans have longer steps. */
  const refresh = async () => {
    const wait = span === "5m" ? 0 : 9000;
    if (performance.now() - asked < wait && told) return;
    asked = performance.now();
    await load();
  };
  const observer = new ResizeObserver(show);
  observer.observe(place);
  context.ends.push(() => observer.disconnect());
  arrange();
  return { element: element("section", { class: "panel" }, element("h2", {}, "What the server did"), form, place), refresh };
}
