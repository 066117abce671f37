// A driver for `corpus check --server 'node driver.mjs'`: one JSON object a line on stdin, one on stdout for each.
//   {"text": "…", "tools": […]}    → {"content": "…", "tool_calls": [{"name": "f", "arguments": "{}"}]}
//   {"pieces": ["…"], "tools": […]} → {"deltas": [{"after": 1, "content": "…"}, {"after": 3, "tool_calls": [{"index": 0, …}]}]}
// `after` is how many pieces were taken when the delta was sent. Put your own parser in the place of `parser`.
import { createInterface } from "node:readline";

// An example: hermes, calls told when they are whole.
function parser(tools) {
  const [open, close] = ["<tool_call>\n", "\n</tool_call>"];
  let held = "", index = 0;
  const words = (text) => (text ? [{ content: text }] : []);
  return {
    feed(piece) {
      held += piece;
      const sent = [];
      for (let start; (start = held.indexOf(open)) >= 0; ) {
        const end = held.indexOf(close, start);
        if (end < 0) return [...sent, ...words(held.slice(0, start)), ...((held = held.slice(start)), [])];
        sent.push(...words(held.slice(0, start)));
        try {
          const call = JSON.parse(held.slice(start + open.length, end));
          sent.push({ tool_calls: [{ index, name: call.name, arguments: JSON.stringify(call.arguments) }] });
          index += 1;
        } catch {
          sent.push(...words(held.slice(start, end + close.length)));
        }
        held = held.slice(end + close.length);
      }
      let keep = Math.min(held.length, open.length - 1);
      while (!open.startsWith(held.slice(held.length - keep))) keep -= 1;
      const said = held.slice(0, held.length - keep);
      held = held.slice(held.length - keep);
      return [...sent, ...words(said)];
    },
    finish: () => words(held),
  };
}

function deltas(pieces, tools) {
  const machine = parser(tools);
  const sent = pieces.flatMap((piece, at) => machine.feed(piece).map((delta) => ({ after: at + 1, ...delta })));
  return [...sent, ...machine.finish().map((delta) => ({ after: pieces.length, ...delta }))];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { text, pieces, tools } = JSON.parse(line);
  const sent = deltas(pieces ?? [text], tools);
  const whole = { content: sent.map((delta) => delta.content ?? "").join(""), tool_calls: sent.flatMap((d) => d.tool_calls ?? []) };
  process.stdout.write(JSON.stringify(pieces ? { deltas: sent } : whole) + "\n");
}
