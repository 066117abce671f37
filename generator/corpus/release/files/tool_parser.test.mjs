// Runs a parser of tool calls over the cases beside this file; README.md says what `tool_parser_adapter.mjs` exports.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import * as adapter from "./tool_parser_adapter.mjs";

const FOLDER = process.env.TOOL_CALL_CASES ?? dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(FOLDER, name), "utf8");
const TOOLS = JSON.parse(read("tools.json"));
const CASES = read(`cases/${adapter.FORMAT}.jsonl`).split("\n").filter(Boolean).map((line) => JSON.parse(line));
const KNOWN = adapter.KNOWN ?? {};
const CUT_OFF = ["truncate", "drop_last_marker"];

const plansOf = ({ text, plans }) => (text === undefined ? [] : [["whole", text ? [Buffer.byteLength(text)] : []], ...Object.entries(plans)]);
const pairs = (reading) => reading.tool_calls.map((call) => [call.name, call.arguments]);

function value(one, given, mayBreakOff = false) {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch (fault) {
    if (mayBreakOff || CUT_OFF.includes(one.hazard)) return undefined; // arguments end early, as the text does
    throw fault;
  }
}

function judge(one, content, calls, kind) {
  if (one.verdict === "i") {
    const whole = calls.filter(([, given]) => given !== undefined);
    if (one.allowed) expect(one.allowed.some((reading) => same(pairs(reading), whole)), `${kind}: ${JSON.stringify(whole)}`).toBe(true);
    return;
  }
  if (!same(pairs(one.oracle), calls)) expect(calls, kind).toEqual(pairs(one.oracle));
  expect(content.trim(), kind).toBe((one.oracle.content ?? "").trim());
}

// -0 is 0, as in JSON.
const plain = (given) => JSON.parse(JSON.stringify(given));
const same = (left, right) => isDeepStrictEqual(plain(left), plain(right));

function streamed(one, sizes) {
  const bytes = Buffer.from(one.text);
  let taken = 0;
  function* pieces() {
    for (const size of sizes) yield bytes.subarray(taken, (taken += size)).toString();
  }
  let content = "";
  const calls = new Map();
  for (const delta of adapter.stream(pieces(), TOOLS)) {
    content += delta.content ?? "";
    for (const call of delta.tool_calls ?? []) {
      const { name = "", arguments: given = "" } = call.function ?? call;
      const start = one.names_at?.[call.index];
      if (!calls.has(call.index) && start !== undefined) expect(taken, `call ${call.index} is sent too early`).toBeGreaterThan(start);
      const known = calls.get(call.index) ?? ["", ""];
      calls.set(call.index, [known[0] + name, known[1] + given]);
    }
  }
  const inOrder = [...calls].sort(([left], [right]) => left - right);
  return [content, inOrder.map(([, [name, given]]) => [name, value(one, given || "{}", one.verdict === "i")])]; // what was sent cannot be taken back
}

describe.each(CASES)("$id", (one) => {
  const run = (kind) => (one.id in (KNOWN[kind] ?? {}) ? test.fails : test); // what is known to fail must fail
  run("whole")("whole", () => {
    const text = one.text ?? Buffer.from(one.base64, "base64").toString();
    const answer = adapter.parse(text, TOOLS);
    const calls = (answer.tool_calls ?? []).map((call) => call.function ?? call);
    judge(one, answer.content ?? "", calls.map((call) => [call.name, value(one, call.arguments)]), "whole");
  });
  (adapter.stream ? run("stream") : test.skip)("stream", () => {
    const found = plansOf(one).map(([kind, sizes]) => [kind, ...streamed(one, sizes)]);
    for (const [kind, content, calls] of found) {
      judge(one, content, calls, kind);
      expect(same(calls, found[0][2]), `${kind}: another reading than of another plan`).toBe(true);
    }
  });
});
