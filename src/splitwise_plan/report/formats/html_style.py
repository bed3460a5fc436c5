"""How the page looks: one style sheet, fonts of the system, fit for a screen and for paper."""

CSS = """
:root { --ink: #1f2933; --soft: #52606d; --line: #e4e7eb; --pale: #f5f7fa; --good: #1b6e3c;
  --bad: #b3261e; --accent: #0b4f7d; color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #eef1f4; color: var(--ink); line-height: 1.5;
  font: 15px/1.5 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; background: white; padding: 36px 48px 56px; }
header { border-bottom: 1px solid var(--line); padding-bottom: 22px; margin-bottom: 8px; }
.kicker { color: var(--soft); font-size: 13px; margin: 0 0 14px; }
h1 { font-size: 27px; line-height: 1.25; margin: 0 0 8px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 42px 0 12px; padding-top: 4px; }
h3 { font-size: 15.5px; margin: 22px 0 10px; } figure h3 { margin-top: 0; }
.badge { display: inline-block; font-size: 12.5px; font-weight: 600; border-radius: 3px;
  padding: 2px 9px; margin: 0 0 10px; color: white; background: var(--soft); }
.badge.good { background: var(--good); } .badge.bad { background: var(--bad); }
.verdict { font-size: 16.5px; margin: 0 0 4px; max-width: none; }
h1::first-letter, .verdict::first-letter { text-transform: uppercase; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  margin: 22px 0 0; }
.tile { background: var(--pale); border-radius: 5px; padding: 12px 15px 11px; }
.tile b { display: block; font-size: 21px; line-height: 1.25; font-weight: 600;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.tile span { color: var(--soft); font-size: 12.5px; }
dl.facts { display: grid; grid-template-columns: 110px 1fr; gap: 5px 16px; margin: 18px 0 0; }
dl.facts dt { font-weight: 600; grid-column: 1; } dl.facts dd { margin: 0; grid-column: 2; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
caption { text-align: left; font-weight: 600; padding: 0 0 6px; }
th, td { text-align: left; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; font-size: 12.5px; border-bottom-color: #9aa5b1; }
tbody tr:last-child td, tbody tr:last-child th { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.good { color: var(--good); } td.bad { color: var(--bad); } td.dim { color: var(--soft); }
h2#families ~ .wide tr:has(td.good:last-child) td { background: #eef7f1; }
table.pairs { width: auto; }
table.pairs th, table.pairs td { padding-top: 4px; padding-bottom: 4px; }
table.pairs th { font-weight: 500; color: var(--soft); white-space: nowrap; padding-right: 26px; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr));
  gap: 0 40px; }
table.files td { font: 12.5px/1.5 "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  overflow-wrap: anywhere; }
figure { margin: 26px 0 34px; break-inside: avoid; }
figcaption { color: var(--soft); font-size: 13.5px; max-width: 96ch; margin-top: 8px; }
.plot { min-height: 60px; }
p { max-width: 78ch; }
.note { color: var(--soft); font-size: 13.5px; }
details { margin: 14px 0; } summary { cursor: pointer; color: var(--accent); }
pre { background: var(--pale); padding: 14px; overflow-x: auto; font-size: 12.5px; }
pre.grid { line-height: 1.25; }
#vg-tooltip-element.vg-tooltip { font: 12.5px/1.4 "Helvetica Neue", Helvetica, Arial, sans-serif;
  border: 0; border-radius: 4px; background: white; padding: 8px 11px;
  box-shadow: 0 2px 12px rgba(31, 41, 51, 0.28);
  color: var(--ink); max-width: 460px; }
#vg-tooltip-element.vg-tooltip table { min-width: 0; font-size: 12.5px; }
#vg-tooltip-element.vg-tooltip td { border: 0; padding: 1px 8px 1px 0; max-width: 330px; }
#vg-tooltip-element.vg-tooltip td.key { color: var(--soft); max-width: 160px; }
@media (max-width: 760px) { main { padding: 22px 18px; } dl.facts { display: block; } }
@media print { body { background: white; } main { max-width: none; padding: 0; }
  details { display: none; } }
"""
