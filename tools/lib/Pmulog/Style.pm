# The style sheet of the HTML page: light and dark, wide and narrow, on screen and on paper. tests/image/pmulog-page.t checks
# the contrast of its colours.
package Pmulog::Style;

use strict;
use warnings;

our $LIGHT = '--ink: #1b1f24; --dim: #55606b; --page: #ffffff; --line: #d3d9e0; --bar: #eef1f5; --link: #1d55b0;
  --good: #17702f; --bad: #b81f28; --skip: #765800; --torn: #7a2a9b; --blue: #2159b8; --red: #c8202b;';
our $DARK = '--ink: #e4e8ec; --dim: #a0aab4; --page: #14171a; --line: #3a424a; --bar: #20262c; --link: #8ab4ff;
  --good: #4ac26b; --bad: #ff7b78; --skip: #e0b84c; --torn: #d08bef; --blue: #78a9ff; --red: #ff6f61;';

my $SCREEN = <<'END';
* { box-sizing: border-box; } :root { font-size: 15px; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
code, h4, .values dd, .also, .registers tbody, .vectors tbody th, .beats, .plain, .families, .ids, summary > b { font-family: ui-monospace, monospace; }
code { background: var(--bar); padding: .1em .4em; overflow-wrap: anywhere; }
a { color: var(--link); } p { margin: .4rem 0; max-width: 60rem; }
section { margin: 2rem 0; scroll-margin-top: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin: 0 0 .6rem; font-size: 1.3rem; }
h3 { margin: 1.4rem 0 .3rem; font-size: 1.05rem; } h3 small { color: var(--dim); font-weight: normal; }
h4 { margin: .5rem 0 .2rem; font-size: .95rem; }
small, .source, .legend, figcaption, .texts td:last-child, .ids { font-size: .87rem; } .source { color: var(--dim); }
ul, ol { margin: .3rem 0; padding-left: 1.4rem; } li { margin: .15rem 0; }
.bad { color: var(--bad); } b.blue { color: var(--blue); } b.red { color: var(--red); }

.banner { border-left: .8rem solid var(--torn); padding: .6rem 1.2rem; background: var(--bar); }
.banner h1 { font-size: 2.8rem; line-height: 1.1; margin: 0; letter-spacing: .03em; color: var(--torn); }
.banner p { margin: .2rem 0; overflow-wrap: anywhere; } .banner .counts { font-size: 1.2rem; }
.banner.pass { border-color: var(--good); } .banner.pass h1 { color: var(--good); }
.banner.fail { border-color: var(--bad); } .banner.fail h1 { color: var(--bad); }
.banner.skip { border-color: var(--skip); } .banner.skip h1 { color: var(--skip); }
.share { display: flex; height: .5rem; max-width: 40rem; margin: .4rem 0; gap: 2px; } .share span { min-width: 3px; background: var(--good); }
.share .failed { background: var(--bad); } .share .skipped { background: var(--skip); } .share .missing { background: var(--line); }
.contents { list-style: none; padding: .6rem 0; margin: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); color: var(--dim); font-size: .87rem; }

details { margin: .5rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; } summary:hover { background: var(--bar); }
.inside { padding-left: 1.1rem; scroll-margin-top: 6rem; } .inside [id] { scroll-margin-top: 1rem; }
section > details > .inside { padding-left: 0; }

table { border-collapse: collapse; table-layout: fixed; width: 100%; font-size: .93rem; } tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--dim); font: .87rem system-ui, sans-serif; } tbody th { font-weight: 600; }
tr:target { background: var(--bar); }
.sheet th:nth-child(1) { width: 4.5rem; } .sheet th:nth-child(2) { width: 42%; } .unprobed td { color: var(--dim); }
.texts th:nth-child(1) { width: 5rem; } .texts th:nth-child(3) { width: 14rem; } .texts td:last-child { color: var(--dim); }
.vectors th:nth-child(1) { width: 19rem; } .vectors th:nth-child(2) { width: 5.5rem; } .vectors tbody th { font-size: .85rem; font-weight: normal; }
.passed td:nth-of-type(1) { color: var(--good); } .failed td:nth-of-type(1) { color: var(--bad); font-weight: 700; } .skipped td:nth-of-type(1) { color: var(--skip); }
.registers { font-size: .82rem; } .registers th:nth-child(1) { width: 17rem; } .registers th:nth-child(2) { width: 8rem; } .registers tbody th { font-weight: normal; }
.registers .named th { font-weight: 700; border-left: 4px solid var(--bad); padding-left: .4rem; } .field { white-space: nowrap; }

dl { margin: .3rem 0; } dl div { display: flex; gap: 1rem; } dd { margin: 0; flex: 1; overflow-wrap: anywhere; min-width: 0; } dt { color: var(--dim); flex: none; }
.inventory div { border-bottom: 1px solid var(--line); padding: .15rem 0; } .inventory dt { width: 8rem; } .values dt { width: 6rem; } .values dd { font-size: .87rem; }
.families { list-style: none; padding: 0; columns: 15rem; font-size: .85rem; } .families li { break-inside: avoid; margin: 0; padding: .08rem 0; }
.rules { columns: 26rem; } .rules li { break-inside: avoid; margin: 0; padding: .1rem 0; } .likely > li { margin: .6rem 0; } .also { font-size: .87rem; } .beats, .plain { font-size: .85rem; overflow-wrap: anywhere; }
.failure { border-left: 4px solid var(--bad); padding-left: 1rem; margin: 1.6rem 0; scroll-margin-top: 1rem; } .failure h3 { margin-top: 0; }

.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1rem; }
figure { margin: .6rem 0; padding: .6rem; border: 1px solid var(--line); border-radius: 6px; max-width: 44rem; break-inside: avoid; }
figcaption { overflow-wrap: anywhere; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); } svg .value, svg .moment { font-size: 10px; fill: var(--dim); }
svg .inbar { text-anchor: middle; font-size: 10px; } svg .moment.last { text-anchor: middle; }
svg .moment { text-anchor: start; } svg .lane { stroke: var(--line); } svg .mark { stroke: var(--dim); stroke-dasharray: 3 3; }
svg .bar { fill: var(--bar); stroke: var(--line); }
svg .expected { fill: none; stroke: var(--blue); stroke-width: 1.8; } svg .observed { fill: none; stroke: var(--red); stroke-width: 2.4; }
svg .ring { fill: none; stroke: var(--blue); stroke-width: 1.8; } svg .dot { fill: var(--red); }
svg text.blue { fill: var(--blue); } svg text.red { fill: var(--red); }
END

my $NARROW = <<'END';
  body { padding: .6rem; } .banner { border-left-width: .5rem; padding: .5rem .8rem; } .failure { padding-left: .6rem; }
  thead { display: none; } table, tbody, tr { display: block; } tr { border-bottom: 1px solid var(--line); padding: .25rem 0; }
  tbody th, td { display: block; border-bottom: 0; padding: 0; }
  .vectors tbody th, .vectors td:nth-of-type(1), .sheet tbody th, .sheet td:nth-of-type(1) { display: inline; padding-right: .6rem; } .sheet td:nth-of-type(1) { color: var(--dim); }
  tr.named { border-left: 4px solid var(--bad); padding-left: .4rem; } .registers .named th { border-left: 0; padding-left: 0; }
  svg text { font-size: 14px; } svg .value, svg .moment, svg .inbar { font-size: 12.5px; }
  .values div { display: block; } .values dd { padding-left: 1rem; } .inventory dt { width: 6.5rem; }
END

# What a browser folds on the screen it folds on paper too, so that a pass takes few pages and what somebody opened is printed.
# A section with nothing but a folded part is left out.
my $PAPER = <<'END';
  :root { font-size: 9.5pt; } body { max-width: none; padding: 0; line-height: 1.35; } .families { columns: 4; font-size: .78rem; } a { color: inherit; text-decoration: none; }
  .banner, .share, .share span, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  section { margin: 1.1rem 0; } h2, h3, h4, summary { break-after: avoid; } th, td { padding-top: .08rem; padding-bottom: .08rem; }
  .inventory div { padding: .05rem 0; } figure { max-width: 34rem; } section:has(> h2 + details:not([open]):last-child) { display: none; }
END

# Paper is always light, whatever the reader prefers on the screen.
our $CSS = ":root { color-scheme: light dark; $LIGHT }\n\@media (prefers-color-scheme: dark) { :root { $DARK } }\n$SCREEN"
    . "\@media screen and (max-width: 44rem) {\n$NARROW}\n\@page { size: A4; margin: 14mm 13mm; }\n\@media print { :root { color-scheme: light; $LIGHT }\n$PAPER}\n";

1;
