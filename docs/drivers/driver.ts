// A driver for `corpus check --server 'node driver.js'`, in TypeScript: `tsc --target es2022 --module nodenext driver.ts`, or
// `node --experimental-strip-types driver.ts` from node 22.6 on. What is asked and answered is told in driver.mjs. Put your own parser in
// the place of `Parser`.
import { createInterface } from "node:readline";

type Call = { index: number; name?: string; arguments?: string };
type Delta = { content?: string; tool_calls?: Call[] };
type Question = { text?: string; pieces?: string[]; tools: unknown[] };

// An example: hermes, calls told when they are whole.
class Parser {
  held = "";
  index = 0;

  feed(piece: string): Delta[] {
    const [open, close] = ["<tool_call>\n", "\n</tool_call>"];
    this.held += piece;
    const sent: Delta[] = [];
    for (let start; (start = this.held.indexOf(open)) >= 0; ) {
      if (start > 0) sent.push({ content: this.held.slice(0, start) });
      this.held = this.held.slice(start);
      const end = this.held.indexOf(close);
      if (end < 0) return sent;
      try {
        const call = JSON.parse(this.held.slice(open.length, end)) as { name: string; arguments: unknown };
        sent.push({ tool_calls: [{ index: this.index, name: call.name, arguments: JSON.stringify(call.arguments) }] });
        this.index += 1;
      } catch {
        sent.push({ content: this.held.slice(0, end + close.length) });
      }
      this.held = this.held.slice(end + close.length);
    }
    let keep = Math.min(this.held.length, open.length - 1);
    while (!open.startsWith(this.held.slice(this.held.length - keep))) keep -= 1;
    if (this.held.length > keep) sent.push({ content: this.held.slice(0, this.held.length - keep) });
    this.held = this.held.slice(this.held.length - keep);
    return sent;
  }

  finish(): Delta[] {
    return this.held ? [{ content: this.held }] : [];
  }
}

function deltas(pieces: string[]): (Delta & { after: number })[] {
  const parser = new Parser();
  const sent = pieces.flatMap((piece, at) => parser.feed(piece).map((delta) => ({ after: at + 1, ...delta })));
  return [...sent, ...parser.finish().map((delta) => ({ after: pieces.length, ...delta }))];
}

createInterface({ input: process.stdin }).on("line", (line: string) => {
  const { text, pieces } = JSON.parse(line) as Question;
  const sent = deltas(pieces ?? [text ?? ""]);
  const content = sent.map((delta) => delta.content ?? "").join("");
  const whole = { content, tool_calls: sent.flatMap((delta) => delta.tool_calls ?? []) };
  process.stdout.write(JSON.stringify(pieces ? { deltas: sent } : whole) + "\n");
});
