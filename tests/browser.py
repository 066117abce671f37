"""Pages in a real browser, as a person sees them."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CHROMIUM = shutil.which("chromium")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"
)
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --virtual-time-budget=4000 --dump-dom"  # fmt: skip
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_numbers = count()
_TRIES = 3
"""On a machine that does much else, a browser may show the document before all frames of a page have run."""

FRAME = '<iframe src="%s" style="border:0;width:%dpx;height:800px"></iframe>'
"""A window has no less than 500 pixels, but a frame has: to the page in it, that is the width of the screen."""
FRAMES = """<!doctype html><body style="margin:0">%s<script>
const told = {}; onmessage = (event) => { Object.assign(told, event.data); document.body.dataset.told = JSON.stringify(told); };
</script></body>"""


class Look(NamedTuple):
    """A page in a screen of some width."""

    page: str
    width: int = 1200
    link: str = ""


FAULTS = """
const faults = [], wide = document.documentElement.scrollWidth - innerWidth;
if (wide > 0) faults.push(`the page is ${wide} pixels wider than the window`);
const shown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const luminance = (rgb) => rgb.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const paper = (node) => {
  for (; node; node = node.parentElement) {
    const found = parts(getComputedStyle(node).backgroundColor);
    if (found.length < 4 || found[3] > 0) return found.slice(0, 3);
  }
  return parts(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "0 0 0" : "255 255 255");
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text; (text = walker.nextNode()); ) {
  const box = text.parentElement;
  if (!text.data.trim() || !box || ["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(box.tagName) || !shown(box)) continue;
  const range = document.createRange(); range.selectNodeContents(text);
  const told = text.data.trim().slice(0, 30), style = getComputedStyle(box), inPicture = box instanceof SVGElement;
  let short = box; // a text that ends in an ellipsis is meant to
  while (short && getComputedStyle(short).textOverflow !== "ellipsis") short = short.parentElement;
  for (const rect of short ? [] : range.getClientRects()) {
    if (rect.width && (rect.left < -1 || rect.right > innerWidth + 1)) faults.push(`cut by the window: ${told}`);
  }
  for (let around = short ? null : box; around; around = around.parentElement) {
    const how = getComputedStyle(around);
    if (!inPicture && how.overflowX !== "visible" && around.scrollWidth > around.clientWidth + 1) faults.push(`cut by ${around.tagName} ${around.className}: ${told}`);
    if (around.tagName === "svg" && range.getBoundingClientRect().right > around.getBoundingClientRect().right + 1) faults.push(`cut by its picture: ${told}`);
  }
  const [one, other] = [luminance(parts(inPicture ? style.fill : style.color).slice(0, 3)), luminance(paper(box))].sort((a, b) => b - a);
  const contrast = (one + 0.05) / (other + 0.05);
  if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${told}`);
}
return [...new Set(faults)];
"""
"""What is cut, hard to read, or makes the page scroll sideways. Texts that end in an ellipsis by intention are not cut."""


def told_by(folder: Path, looks: Sequence[Look], script: str, *, dark: bool = False) -> list[Any]:
    """What a script returns that plays a person, of each page.

    Their policies are left out, because they forbid any script but their own.
    """
    first = next(_numbers)
    frames = []
    for number, look in enumerate(looks):
        file = folder / f"page{first}-{number}.html"
        playing = f"<script>parent.postMessage({{{number}: (() => {{{script}}})() ?? null}}, '*');</script>"
        file.write_text(_POLICY.sub("", look.page).replace("</body>", f"{playing}</body>"), encoding="utf-8")
        frames.append(FRAME % (f"{file.name}{look.link}", look.width))
    outer = folder / f"frames{first}.html"
    outer.write_text(FRAMES % "".join(frames), encoding="utf-8")
    flags = f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--window-size=1400,800"
    for _ in range(_TRIES):
        told = re.search(r'data-told="([^"]*)"', dom_of(outer.as_uri(), folder, *flags))
        found = json.loads(html.unescape(told[1])) if told else {}
        if len(found) == len(looks):
            return [found[str(number)] for number in range(len(looks))]
    raise AssertionError("the script has not come to its end")


def dom_of(url: str, folder: Path, *flags: str) -> str:
    """The document that a browser makes of a page."""
    command = [str(CHROMIUM), *FLAGS.split(), f"--user-data-dir={folder}/profile{next(_numbers)}", *flags, url]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()
