"""The HTML report's style sheet. Better is blue and worse is orange, which every common colour vision tells apart."""

STYLE = """\
:root {
  color-scheme: light dark;
  --page: #fbfbf9; --card: #ffffff; --ink: #1d2126; --soft: #5b6470; --line: #dcdfe3;
  --better: #1f6fb8; --worse: #b9500a; --s0: #1f6fb8; --s1: #7b4bb0; --s2: #14795c;
  --good-bg: #e5f0fa; --bad-bg: #fdeadd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181c; --card: #1d2126; --ink: #e8eaed; --soft: #a3acb7; --line: #363c44;
    --better: #6cb2f0; --worse: #f0995a; --s0: #6cb2f0; --s1: #c39bf0; --s2: #56c9a4;
    --good-bg: #1b3045; --bad-bg: #46290f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.soft, caption { color: var(--soft); font-size: .9rem; }
.verdict { margin: 1rem 0; padding: .75rem 1rem; border-left: 4px solid var(--line); background: var(--card); }
.verdict.good { border-color: var(--better); background: var(--good-bg); }
.verdict.bad { border-color: var(--worse); background: var(--bad-bg); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.scroll:focus-visible { outline: 2px solid var(--better); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .7rem; text-align: right; vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: .85rem; border-bottom: 1px solid var(--line); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
th.text, td.text { text-align: left; }
td.long { white-space: normal; min-width: 9rem; overflow-wrap: anywhere; }
td.better { color: var(--better); font-weight: 600; }
td.worse { color: var(--worse); font-weight: 600; }
.chart { overflow-x: auto; padding: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
svg { display: block; width: 100%; min-width: 34rem; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); }
svg .axis { fill: var(--soft); font-size: 11px; }
svg .name { font-weight: 600; }
.grid { stroke: var(--line); }
.zero { stroke: var(--soft); }
.series { fill: none; stroke-width: 2; }
.series.s0, .dot.s0 { stroke: var(--s0); } .series.s1, .dot.s1 { stroke: var(--s1); }
.series.s2, .dot.s2 { stroke: var(--s2); }
.dot.s0 { fill: var(--s0); } .dot.s1 { fill: var(--s1); } .dot.s2 { fill: var(--s2); }
.dot.hollow { fill: var(--card); stroke-width: 2; }
svg text.s0 { fill: var(--s0); } svg text.s1 { fill: var(--s1); } svg text.s2 { fill: var(--s2); }
rect.better { fill: var(--better); } rect.worse { fill: var(--worse); }
.move { stroke-width: 2; }
.move.better, .from.better, .to.better { stroke: var(--better); }
.move.worse, .from.worse, .to.worse { stroke: var(--worse); }
.from { fill: var(--card); stroke-width: 2; }
.to.better { fill: var(--better); } .to.worse { fill: var(--worse); }
details { margin: 2rem 0 0; }
summary { cursor: pointer; font-weight: 600; padding: .25rem 0; }
@media print { body { max-width: none; } .scroll, .chart { overflow: visible; } }
"""
