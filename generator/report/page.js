"use strict";
const { sources, rows, key, figures } = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
// What a record says is read when it is first looked at: a page of thousands opens at once.
const bodies = $("bodies").textContent.split("\n");
rows.forEach((row, n) => { row.place = n; });
const bodyOf = (row) => (row.body ??= JSON.parse(bodies[row.place]));
// Characters that show nothing, or turn text around, are written out.
const seen = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
  (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const el = (tag, props = {}, ...parts) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) name in made && name !== "role" ? (made[name] = value) : made.setAttribute(name, value);
  made.append(...parts.filter((part) => part !== "" && part != null));
  return made;
};
const MARKS = { g: "good", o: "odd", w: "wrong" };
const CHUNK = 200;
let marks = {}, shown = [], drawn = 0, at = 0;
try { marks = JSON.parse(localStorage.getItem(key) || "{}"); } catch { /* a page that may keep nothing */ }
const strings = (value) => (value && typeof value === "object" ? Object.values(value).map(strings).join("\n") : `${value ?? ""}`);
const text = (row) => (row.text ??= strings(JSON.parse(bodies[row.place])).toLowerCase());

const FILTERS = {
  source: (row) => [sources[row.source]], kind: (row) => [row.kind], scenario: (row) => [row.scenario], tag: (row) => row.tags,
  tool: (row) => row.tools, split: (row) => [row.split], format: (row) => [row.format], rule: (row) => row.rules,
  mark: (row) => [marks[row.id]],
};
const chosen = {};
for (const [name, values] of Object.entries(FILTERS)) {
  const counts = new Map();
  for (const row of rows) for (const value of new Set(values(row))) if (value) counts.set(value, (counts.get(value) || 0) + 1);
  if (name === "mark") for (const mark of Object.values(MARKS)) counts.set(mark, 0);
  if (counts.size < 2 && name !== "rule") continue;
  if (!counts.size) continue;
  const select = el("select", { id: name, onchange: () => { chosen[name] = select.value; filter(); } }, el("option", { value: "" }, `${name}: all`),
    ...[...counts].sort((a, b) => b[1] - a[1]).map(([value, n]) => el("option", { value }, seen(value) + (n ? ` (${n})` : ""))));
  select.setAttribute("aria-label", name);
  $("filters").append(select, " ");
}
const search = el("input", { id: "search", type: "search", placeholder: "search  (/)", oninput: () => filter() });
search.setAttribute("aria-label", "search");
const exported = el("button", { id: "export", onclick: () => save("marks.jsonl", lines(), "application/jsonl") }, "export marks");
$("filters").append(search, " ", exported, " ", el("small", { className: "quiet" }, "j k: next, previous · g o w: mark good, odd, wrong · f: fold · s: origins"));

function filter() {
  const words = search.value.toLowerCase();
  shown = rows.filter((row) => Object.entries(chosen).every(([name, value]) => !value || FILTERS[name](row).includes(value)) && (!words || text(row).includes(words)));
  $("list").replaceChildren(); drawn = 0; more();
  $("count").textContent = `${shown.length} of ${rows.length}`;
  select(0, false);
}
function unfilter() {
  for (const name of Object.keys(chosen)) { chosen[name] = ""; $(name).value = ""; }
  search.value = ""; filter();
}
function more() {
  $("list").append(...shown.slice(drawn, drawn + CHUNK).map((row, n) => {
    const place = drawn + n;
    const head = `${row.heading} ${row.scenario || row.format} ${marks[row.id] ? `· ${marks[row.id]} ` : ""}`;
    return el("li", { role: "option", onclick: () => select(place) }, el("small", {}, seen(head)), row.kind === "row" ? "" : el("small", row.rules.length ? { className: "fault" } : {}, `${row.kind} `), seen(row.title));
  }));
  drawn = Math.min(shown.length, drawn + CHUNK);
}
$("list").onscroll = () => { const list = $("list"); if (list.scrollTop + list.clientHeight > list.scrollHeight - 400 && drawn < shown.length) more(); };

function select(place, link = true) {
  $("list").children[at]?.setAttribute("aria-selected", "false");
  at = Math.max(0, Math.min(place, shown.length - 1));
  while (drawn <= at && drawn < shown.length) more();
  const item = $("list").children[at], row = shown[at];
  $("row").replaceChildren();
  if (!row) return;
  item.setAttribute("aria-selected", "true"); item.scrollIntoView({ block: "nearest" });
  if (link) history.replaceState(null, "", `#${row.id}`);
  const paired = (one) => one.row != null && ["row", "played"].includes(one.kind);
  const others = paired(row) ? rows.filter((other) => other.row === row.row && paired(other) && other.source !== row.source) : [];
  $("row").append(article(row), ...others.slice(0, 3).map(article));
  $("row").scrollTop = 0;
}
function article(row) {
  const where = [row.file && `${row.file}:${row.line}`, row.format].filter(Boolean).join(" · ") || sources[row.source];
  const about = [row.scenario, row.split, ...row.tags].filter(Boolean).join(" · ");
  const marking = el("div", { className: "marks" }, ...Object.values(MARKS).map((mark) => {
    const button = el("button", { onclick: () => setMark(mark, row) }, mark);
    button.setAttribute("aria-pressed", marks[row.id] === mark); return button;
  }));
  const texts = [], { faults, offers, messages, raw } = bodyOf(row);
  const made = el("article", {}, el("h2", {}, el("a", { href: `#${row.id}`, title: "a link to it" }, seen(row.heading))), el("div", { className: "quiet text" }, seen(where)),
    el("div", { className: "quiet text" }, seen(about)), marking, ...faults.map((f) => el("div", { className: "message fault text" }, seen(`${f.rule} ${f.path} ${f.message}`))));
  if (offers.length) made.append(el("details", {}, el("summary", { className: "quiet" }, `offers ${offers.length} tools`), seen(offers.join(", "))));
  for (const message of messages) made.append(messageOf(message, texts));
  if (row.kind === "rejected" && !messages.length) made.append(el("p", { className: "quiet" }, "It has no text: the attempt ended while it was planned."));
  if (raw) made.append(el("details", { open: true }, el("summary", {}, "the record"), el("pre", {}, seen(raw))));
  return made;
}
const begun = (whole) => (whole.length > 90 ? `${whole.slice(0, 90)}…` : whole);
function messageOf(message, texts) {
  const about = [message.answers && `answers ${message.answers}`, ...message.notes].filter(Boolean).map(seen).join(" · ");
  const box = el("div", { className: `message ${message.role}` }, el("b", {}, message.role, about && el("span", {}, ` · ${about}`)));
  for (const [kind, thought] of message.thoughts) if (thought) box.append(el("details", {}, el("summary", { className: "quiet" }, kind), el("div", { className: "text" }, seen(thought))));
  const content = el(message.json ? "pre" : "div", { className: "text" }, seen(message.text ?? ""));
  texts.push([content, message.text ?? ""]);
  if (message.role === "tool" || (message.role === "system" && (message.text ?? "").length > 300)) {
    box.append(el("details", { className: "fold" }, el("summary", {}, seen(begun(message.text ?? ""))), content));
  } else if (message.text) box.append(content);
  for (const call of message.calls) {
    box.append(el("details", { open: true, className: "fold" }, el("summary", {}, el("code", {}, seen(`${call.number} ${call.name}`))),
      ...call.values.map((value) => argument(value, texts)), call.values.length ? "" : el("div", { className: "quiet" }, "without arguments")));
  }
  return box;
}
function argument(value, texts) {
  const line = el("div", { className: `argument${value.found ? "" : " lost"}`, tabIndex: 0, title: value.words }, el("code", {}, seen(`${value.name}: ${value.value} `)), el("i", {}, seen(`← ${value.words}`)));
  const [message, start, end] = value.span || [];
  const light = (on) => {
    const [box, whole] = texts[message] || [];
    if (!box || start == null) return;
    const points = Array.from(whole); // spans count characters, not UTF-16 units
    box.replaceChildren(...(on ? [seen(points.slice(0, start).join("")), el("mark", {}, seen(points.slice(start, end).join(""))), seen(points.slice(end).join(""))] : [seen(whole)]));
  };
  line.onmouseenter = line.onfocus = () => light(true);
  line.onmouseleave = line.onblur = () => light(false);
  return line;
}
function setMark(mark, row = shown[at]) {
  if (!row) return;
  if (marks[row.id] === mark) delete marks[row.id]; else marks[row.id] = mark;
  try { localStorage.setItem(key, JSON.stringify(marks)); } catch { /* kept until the page is closed */ }
  const item = $("list").children[shown.indexOf(row)];
  if (item) { const small = item.firstChild; small.textContent = small.textContent.replace(/· (good|odd|wrong) /, "") + (marks[row.id] ? `· ${marks[row.id]} ` : ""); }
  select(at);
}
function lines() {
  return rows.filter((row) => marks[row.id]).map((row) => JSON.stringify({ file: row.file || sources[row.source], line: row.line, row: row.row, kind: row.kind, mark: marks[row.id] }) + "\n").join("");
}
function save(name, text, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click(); URL.revokeObjectURL(link.href);
}
document.onkeydown = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.className) return; // behind the rows they scroll
  if (event.target.matches("input, select")) { if (event.key === "Escape") event.target.blur(); return; }
  const act = { j: () => select(at + 1), ArrowDown: () => select(at + 1), k: () => select(at - 1), ArrowUp: () => select(at - 1), "/": () => search.focus(),
    f: () => { const all = [...document.querySelectorAll("details.fold")], open = !all.every((one) => one.open); all.forEach((one) => { one.open = open; }); },
    s: () => $("row").classList.toggle("origins") }[event.key] || (MARKS[event.key] && (() => setMark(MARKS[event.key])));
  if (act) { event.preventDefault(); act(); }
};
const marked = (told) => told.split("`").map((part, n) => (n % 2 ? el("code", {}, seen(part)) : seen(part)));
function section({ title, about, columns, lines, charts, examples }) {
  const cell = (text, n) => el(n ? "td" : "th", n && !["value", "what it counts"].includes(columns[n]) ? { "data-of": seen(columns[n]) } : {}, ...marked(text));
  const bars = (counts, most) => counts.map(([label, value]) => el("div", { className: "bar" }, el("span", {}, seen(label)), el("i", { style: `width: ${Math.max(0, (100 * value) / most)}%` }), el("span", {}, value.toLocaleString("en"))));
  const links = (places) => places.flatMap(([place, number]) => [" ", rows.some((row) => row.id === place) ? el("a", { href: `#${place}` }, number) : number]);
  return el("section", {}, el("h2", {}, seen(title)), el("p", { className: "quiet" }, ...marked(about)),
    columns.length ? el("table", {}, el("thead", {}, el("tr", {}, ...columns.map((name) => el("th", {}, seen(name))))), el("tbody", {}, ...lines.map((line) => el("tr", {}, ...line.map(cell))))) : "",
    el("div", { className: "charts" }, ...charts.map(([name, counts]) => el("figure", {}, el("h3", {}, seen(name)), ...bars(counts, Math.max(...counts.map((pair) => pair[1]), 1e-9))))),
    ...examples.map(([kind, places]) => el("p", { className: "quiet" }, seen(`${kind}: for example row`), ...links(places))));
}
const turn = el("button", { onclick: () => { location.hash = document.body.className ? (shown[at] ? shown[at].id : "") : "figures"; } }, "figures");
if (figures.length) { $("count").before(turn); $("behind").append(...figures.map(section)); }
function follow() {
  const wanted = decodeURIComponent(location.hash.slice(1)), behind = wanted === "figures";
  document.body.className = behind ? "figures" : ""; turn.textContent = behind ? "rows" : "figures";
  if (!shown.some((row) => row.id === wanted) && rows.some((row) => row.id === wanted)) unfilter();
  const place = shown.findIndex((row) => row.id === wanted);
  if (place >= 0) select(place, false);
}
onhashchange = follow;
filter(); follow();
