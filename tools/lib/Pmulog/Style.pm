# The style sheet of the HTML page: light and dark, on screen and on paper.
package Pmulog::Style;

use strict;
use warnings;

our $CSS = <<'END';
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #5c6670; --page: #fff; --line: #d5dae0; --bar: #e6eaf0;
  --good: #1a7f37; --bad: #c0232c; --skip: #8a6d00; --torn: #8a2bb0; --blue: #2563c9; --red: #d3222c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --dim: #98a2ad; --page: #14171a; --line: #363d45; --bar: #2a3038;
  --good: #4ac26b; --bad: #ff6b6b; --skip: #e0b84c; --torn: #d08bef; --blue: #78a9ff; --red: #ff6f61; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 74rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin: 2rem 0 .6rem; font-size: 1.25rem; }
h3 { margin: 1.2rem 0 .3rem; font-size: 1rem; } h3 small { color: var(--dim); font-weight: normal; }
.banner { border-left: 1rem solid var(--torn); padding: .4rem 1.2rem; background: var(--bar); }
.banner h1 { font-size: 3rem; margin: 0; letter-spacing: .04em; color: var(--torn); } .banner p { margin: .2rem 0; }
.banner .counts { font-size: 1.2rem; }
.banner.pass { border-color: var(--good); } .banner.pass h1 { color: var(--good); }
.banner.fail { border-color: var(--bad); } .banner.fail h1 { color: var(--bad); }
.banner.skip { border-color: var(--skip); } .banner.skip h1 { color: var(--skip); }
table { border-collapse: collapse; width: 100%; } tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-weight: 600; } .facts th { width: 9rem; } .facts td:nth-child(2):not(:last-child) { width: 55%; }
.vectors th { width: 17rem; font: 13px/1.6 ui-monospace, monospace; } .n { width: 3rem; color: var(--dim); }
.outcome { width: 5rem; } .passed .outcome { color: var(--good); } .failed .outcome { color: var(--bad); font-weight: 700; }
.skipped .outcome { color: var(--skip); } .rules, .comment { color: var(--dim); font-size: .85em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .3rem 0; font: 13px/1.5 ui-monospace, monospace; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.failure { border-left: 4px solid var(--bad); padding-left: .8rem; margin: .8rem 0; break-inside: avoid; }
.failure h3, .failure p { margin: 0; }
.beats { max-height: 22rem; overflow: auto; font: 13px/1.5 ui-monospace, monospace; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .5rem; border: 1px solid var(--line); border-radius: 6px; break-inside: avoid; }
figure.failed { border-color: var(--bad); } figure.skipped { opacity: .5; }
figcaption { font-size: .82rem; overflow-wrap: anywhere; } figcaption b { font-family: ui-monospace, monospace; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); } svg .value, svg .moment { font-size: 9.5px; fill: var(--dim); }
svg .inbar { text-anchor: middle; font-size: 10px; } svg .moment.last { text-anchor: middle; }
svg .moment { text-anchor: start; } svg .lane { stroke: var(--line); } svg .mark { stroke: var(--dim); stroke-dasharray: 3 3; }
svg .bar { fill: var(--bar); stroke: var(--line); }
svg .expected { fill: none; stroke: var(--blue); stroke-width: 1.8; }
svg .observed { fill: none; stroke: var(--red); stroke-width: 2.4; }
svg .ring { fill: none; stroke: var(--blue); stroke-width: 1.8; } svg .dot { fill: var(--red); }
@media (max-width: 44rem) { .vectors tr { display: block; border-bottom: 1px solid var(--line); } .vectors th, .vectors td { border: 0; width: auto; }
  .vectors td:last-child { display: block; padding-left: 1.5rem; } .facts th { width: 6.5rem; } dl { grid-template-columns: 1fr; } dd { padding-left: 1rem; } }
b.blue { color: var(--blue); } b.red { color: var(--red); }
@media print { :root { --page: #fff; --ink: #000; } .beats { max-height: none; overflow: visible; } main { max-width: none; padding: 0; } }
END

1;
