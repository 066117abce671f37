// Runs a parser of tool calls over the cases beside this file; README.md says what `tool_parser_adapter.mjs` exports.
// It judges as tool_call_judge.py does, which says why.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import * as adapter from "./tool_parser_adapter.mjs";

const FOLDER = process.env.TOOL_CALL_CASES ?? dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(FOLDER, name), "utf8");
const TOOLS = JSON.parse(read("tools.json"));
const VERSION = existsSync(join(FOLDER, "RELEASE.json")) ? JSON.parse(read("RELEASE.json")).version : 0;
const WITHDRAWN = existsSync(join(FOLDER, "withdrawn.json")) ? (JSON.parse(read("withdrawn.json"))[VERSION] ?? {}) : {};
const LINES = read(`cases/${adapter.FORMAT}.jsonl`).split("\n").filter(Boolean);
const CASES = LINES.map((line) => JSON.parse(line)).filter((one) => !(`${adapter.FORMAT}/${one.id}` in WITHDRAWN));
const KNOWN = adapter.KNOWN ?? {};
const PATIENCE = 24;
const HELD = 160;

const bytesOf = (one) => (one.text === undefined ? Buffer.from(one.base64, "base64") : Buffer.from(one.text));
const plain = (given) => JSON.parse(JSON.stringify(given)); // -0 is 0, as in JSON
const same = (left, right) => isDeepStrictEqual(plain(left), plain(right));
const pairs = (calls) => calls.map((call) => [call.name, call.arguments]);
const has = (one, op) => (one.mutations ?? []).some((change) => change.op === op);

function callOf(name, given) {
  if (typeof given !== "string") return { name, arguments: given };
  try {
    return { name, arguments: JSON.parse(given) };
  } catch (fault) {
    return { name, arguments: null, fault: `${fault.message} in ${given.slice(0, 80)}`, text: given };
  }
}

const IN_TEXT = ["", "\\", "0", "00", "000", "0000"].flatMap((escape) => [`${escape}"`, `${escape}":0`]);
const OUTSIDE = ["", "0", ":0", '"":0', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l"];

function beginsJson(text) {
  if (!text.trim()) return true;
  const open = [];
  let quoted = false;
  let escaped = false;
  for (const letter of text) {
    if (escaped || (quoted && letter === "\\")) escaped = !escaped;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && "{[".includes(letter)) open.unshift(letter === "{" ? "}" : "]");
    else if (!quoted && "}]".includes(letter)) open.shift();
  }
  const closes = (end) => !callOf("", text + end + open.join("")).fault;
  return text.trimStart().startsWith("{") && (quoted ? IN_TEXT : OUTSIDE).some(closes);
}

// All calls but those that nobody could tell whole.
function withoutExcused(one, calls, streamed) {
  const last = calls.at(-1);
  const cut = has(one, "truncate") || has(one, "end_inside");
  const drift = has(one, "drift");
  if (one.verdict !== "i" || !last || !(cut || streamed)) return calls;
  const free = !cut && !drift && !one.allowed;
  const named = free || one.oracle?.tool_calls[calls.length - 1]?.name === last.name;
  const begun = last.text && (cut || drift || free) && named && beginsJson(last.text);
  const bytes = bytesOf(one);
  return (begun ? calls.slice(0, -1) : calls).filter((call) => !(free && call.fault && bytes.includes(call.text.trim())));
}

function contentsOf(one) {
  const said = one.oracle.content ?? "";
  if (one.oracle.reasoning === undefined) return [said];
  const { content, calls, thoughts = [0, 0] } = one.emissions;
  const text = bytesOf(one);
  const block = text.subarray(...thoughts).toString();
  const before = text.subarray(0, [content[1], ...calls.map(([start]) => start), text.length].find(Boolean)).toString();
  const prefix = one.prefix ?? "";
  return [said, block + said, prefix + block + said, before, prefix + before];
}

function judge(one, content, calls, streamed) {
  const whole = withoutExcused(one, calls, streamed);
  for (const call of whole) if (call.fault) return `invalid JSON: ${call.name}: ${call.fault}`;
  if (one.verdict === "i") {
    const readings = (one.allowed ?? []).slice(0, adapter.RECOVER && has(one, "drift") ? 1 : undefined);
    const found = !readings.length || readings.some((reading) => same(pairs(reading.tool_calls), pairs(whole)));
    return found ? null : `not an allowed reading: ${JSON.stringify(pairs(whole))}`;
  }
  if (!same(pairs(one.oracle.tool_calls), pairs(calls))) return `wrong calls: ${JSON.stringify(pairs(calls))}`;
  const right = contentsOf(one).some((said) => said.trim() === (content ?? "").trim());
  return right ? null : `wrong content: ${JSON.stringify(content)}`;
}

function endOf(deltas) {
  let content = "";
  let fault = null;
  const calls = new Map();
  for (const delta of deltas) {
    content += delta.content ?? "";
    for (const call of delta.tool_calls ?? []) {
      const { name, arguments: given } = call.function ?? call;
      const known = calls.get(call.index);
      if (!Number.isInteger(call.index)) fault ??= `a piece of a call has the index ${call.index}`;
      else if (!known && call.index !== calls.size) fault ??= `call ${calls.size} has the index ${call.index}`;
      else if (!known && name == null) fault ??= `call ${call.index} begins without a name`;
      else if (known?.name && name) fault ??= `the name of call ${call.index} is sent in two pieces`;
      const other = [...calls].find(([index, { id }]) => call.id && id === call.id && index !== call.index);
      if (call.id && (other || (known?.id && known.id !== call.id))) fault ??= `call ${call.index} has the id ${call.id}`;
      calls.set(call.index, {
        id: known?.id || call.id || "",
        name: (known?.name ?? "") + (name ?? ""),
        text: (known?.text ?? "") + (given ?? ""),
      });
    }
  }
  const inOrder = [...calls].sort(([left], [right]) => left - right).map(([, call]) => call);
  return { content, fault, calls: inOrder.map(({ name, text }) => (text ? callOf(name, text) : { name, arguments: {}, text: "{" })) };
}

function judgeTime(one, sizes, deltas) {
  if (one.verdict === "i") return null;
  const { content, names } = one.emissions;
  const bytes = bytesOf(one);
  const sent = new Map();
  let said = "";
  let read = 0;
  let at = 0;
  for (let after = 0; after <= sizes.length; after++) {
    read += after ? sizes[after - 1] : 0;
    while (at < deltas.length && (deltas[at].after <= after || after === sizes.length)) {
      const delta = deltas[at++];
      said += delta.content ?? "";
      for (const call of delta.tool_calls ?? []) {
        if (!sent.has(call.index) && read <= (names[call.index]?.[0] ?? -1)) return `early delta: call ${call.index} after ${read} bytes`;
        sent.set(call.index, (sent.get(call.index) ?? "") + ((call.function ?? call).arguments ?? ""));
      }
    }
    if (said.trim() && !contentsOf(one).some((text) => text.trim().startsWith(said.trim()))) return `leaked text: ${said.slice(-60)}`;
    if (read === bytes.length) continue;
    if (one.oracle.reasoning === undefined) {
      const named = names.length && read > names[0][1];
      const due = bytes.subarray(content[0], named ? content[1] : Math.max(content[0], Math.min(content[1], read - HELD)));
      const must = new TextDecoder().decode(due, { stream: true }).trim();
      if (!said.trim().startsWith(must)) return `late delta: after ${read} bytes only ${said} is sent`;
    }
    for (const [index, following] of names.slice(1).entries()) {
      const late = !sent.has(index) || callOf("", sent.get(index) || "{}").fault;
      if (read >= following[1] + PATIENCE && late) return `late delta: call ${index} is not sent after ${read} bytes`;
    }
  }
  return null;
}

function* streamed(one, sizes) {
  const bytes = bytesOf(one);
  let taken = 0;
  function* pieces() {
    let start = 0;
    for (const size of sizes) {
      taken++;
      yield bytes.subarray(start, (start += size)).toString();
    }
  }
  for (const delta of adapter.stream(pieces(), TOOLS)) yield { ...delta, after: taken };
}

describe.each(CASES)("$id", (one) => {
  const run = (kind) => (one.id in (KNOWN[kind] ?? {}) ? test.fails : test); // what is known to fail must fail
  run("whole")("whole", () => {
    const answer = adapter.parse(bytesOf(one).toString(), TOOLS);
    const calls = (answer.tool_calls ?? []).map((call) => call.function ?? call);
    expect(judge(one, answer.content, calls.map((call) => callOf(call.name, call.arguments)), false)).toBe(null);
  });
  (adapter.stream ? run("stream") : test.skip)("stream", () => {
    let first;
    for (const { kind, sizes } of one.plans.filter((plan) => plan.sizes.length)) {
      const deltas = [...streamed(one, sizes)];
      const end = endOf(deltas);
      const wrong = end.fault ?? judge(one, end.content, end.calls, true) ?? judgeTime(one, sizes, deltas);
      expect(wrong, `pieces: ${kind}`).toBe(null);
      first ??= end;
      const ends = [first, end].map(({ calls }) => pairs(one.verdict === "i" ? withoutExcused(one, calls, true) : calls));
      expect(same(...ends) && first.content.trim() === end.content.trim(), `${kind}: another reading than of another plan`).toBe(true);
    }
  });
});
