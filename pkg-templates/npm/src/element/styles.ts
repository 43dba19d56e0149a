/** Style of the element: the colours of the playground, in a sheet that all elements of a page share. */

/** Made at first use: servers that render pages have no style sheets. */
let shared: CSSStyleSheet | undefined;

export function sheet(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(CSS_TEXT);
  }
  return shared;
}

const CSS_TEXT = `
:host { display: block; margin-block: 1rem; }
:host([hidden]), [hidden] { display: none !important; }
.repl {
  /* The host page's text styles are inherited into a shadow root. Sessions run from left to right on any page. */
  all: initial;
  box-sizing: border-box;
  direction: ltr;
  visibility: inherit;
  pointer-events: inherit;
  color-scheme: light dark;
  --plate: light-dark(oklch(0.995 0.002 190), oklch(0.216 0.013 215));
  --inset: light-dark(oklch(0.978 0.003 190), oklch(0.193 0.012 215));
  --raised: light-dark(oklch(0.948 0.006 190), oklch(0.262 0.015 213));
  --border: light-dark(oklch(0.902 0.007 195), oklch(0.302 0.015 213));
  --border-strong: light-dark(oklch(0.62 0.014 205), oklch(0.55 0.018 208));
  --ink: light-dark(oklch(0.25 0.021 220), oklch(0.93 0.007 195));
  --ink-soft: light-dark(oklch(0.43 0.02 217), oklch(0.77 0.012 200));
  --ink-faint: light-dark(oklch(0.505 0.018 213), oklch(0.675 0.014 205));
  --verdigris: light-dark(oklch(0.46 0.08 186), oklch(0.8 0.09 182));
  --verdigris-fill: light-dark(oklch(0.47 0.083 187), oklch(0.8 0.09 182));
  --on-verdigris: light-dark(oklch(0.99 0.005 186), oklch(0.2 0.03 190));
  --brass: light-dark(oklch(0.49 0.094 74), oklch(0.83 0.11 86));
  --rust: light-dark(oklch(0.49 0.155 33), oklch(0.77 0.118 38));
  --rust-wash: light-dark(oklch(0.956 0.022 36), oklch(0.285 0.04 34));
  --lane-1: var(--verdigris);
  --lane-2: light-dark(oklch(0.48 0.13 300), oklch(0.79 0.1 302));
  --lane-3: light-dark(oklch(0.49 0.12 250), oklch(0.79 0.095 246));
  --lane-4: light-dark(oklch(0.49 0.15 2), oklch(0.79 0.11 4));
  --lane-5: light-dark(oklch(0.49 0.1 132), oklch(0.82 0.11 130));
  --lane-6: light-dark(oklch(0.49 0.11 50), oklch(0.81 0.1 56));
  --lane-7: light-dark(oklch(0.46 0.09 222), oklch(0.81 0.08 218));
  --lane-8: light-dark(oklch(0.45 0.14 330), oklch(0.8 0.11 332));
  --engine: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --target: 2rem;
  display: flex;
  flex-direction: column;
  block-size: var(--keylatch-block-size, auto);
  min-block-size: 7rem;
  max-block-size: var(--keylatch-max-block-size, min(36rem, 80vh));
  border: 1px solid var(--border);
  border-radius: 0.5rem;
  background: var(--plate);
  color: var(--ink);
  font: 0.875rem / 1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  overflow: hidden;
}
.repl[data-theme="light"] { color-scheme: light; }
.repl[data-theme="dark"] { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
p { margin: 0; }
button, input, textarea { font: inherit; color: inherit; letter-spacing: inherit; }
:focus-visible { outline: 2px solid var(--verdigris-fill); outline-offset: 2px; }
.lines:focus-visible, .prompt .field:focus-visible { outline-offset: -2px; }
.bar, .end, .prompt .line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem 0.5rem; padding: 0.375rem 0.5rem; }
.bar { border-block-end: 1px solid var(--border); }
button {
  min-block-size: var(--target);
  padding: 0 0.75rem;
  border: 1px solid var(--border);
  border-radius: 0.375rem;
  background: var(--plate);
  font-size: 0.8125rem;
  line-height: 1;
  white-space: nowrap;
  cursor: pointer;
}
button:hover { border-color: var(--border-strong); background: var(--raised); }
button.main { border-color: transparent; background: var(--verdigris-fill); color: var(--on-verdigris); font-weight: 600; }
button.main:hover { background: color-mix(in oklch, var(--verdigris-fill) 88%, var(--ink)); }
button[aria-disabled] { color: var(--ink-faint); background: transparent; cursor: default; }
.summary { flex: 1 1 12rem; min-inline-size: 0; color: var(--ink-soft); font-size: 0.8125rem; overflow-wrap: anywhere; }
.summary:empty { flex-basis: 0; }
.summary.good { color: var(--verdigris); }
.summary.bad, .problem { color: var(--rust); }
.problem { padding: 0.375rem 0.75rem; background: var(--rust-wash); font-size: 0.8125rem; overflow-wrap: anywhere; }
.lines {
  flex: 1 1 auto;
  min-block-size: 2.5rem;
  margin: 0;
  padding: 0.5rem 0;
  overflow: auto;
  background: var(--inset);
  font-family: var(--engine);
  font-size: 0.8125rem;
  font-variant-ligatures: none;
  line-height: 1.5;
  scrollbar-color: var(--border-strong) transparent;
}
textarea.lines { inline-size: 100%; padding: 0.5rem 0.75rem 0.5rem 1.75rem; border: 0; resize: vertical; }
.row { position: relative; min-block-size: 1.5em; padding: 0 0.75rem 0 1.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.sign { position: absolute; inset-inline-start: 0.625rem; user-select: none; color: var(--ink-faint); }
.head { color: var(--lane, var(--ink-soft)); }
.command .text, .script .text { font-weight: 600; }
.command .head { font-weight: 400; }
.heading { font-weight: 700; }
.comment { color: var(--ink-soft); }
.clock { color: var(--brass); }
.event, .note { color: var(--ink-soft); font-style: italic; }
.matched > .sign { color: var(--verdigris); }
.mismatched > .sign, .problem > .sign { color: var(--rust); font-weight: 700; }
.row.problem { padding-block: 0; font-size: inherit; }
.reply.mismatched .text, .event.mismatched .text { color: var(--rust); text-decoration: line-through; }
.unmet .text { color: var(--ink-soft); text-decoration: line-through; }
.got { background: var(--raised); }
.later .text, .later .head { color: var(--ink-faint); }
.partly .current { background: color-mix(in oklch, var(--verdigris-fill) 12%, transparent); }
.several [data-lane]::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: 0; border-inline-start: 3px solid var(--lane); }
[data-lane="1"] { --lane: var(--lane-1); }
[data-lane="2"] { --lane: var(--lane-2); }
[data-lane="3"] { --lane: var(--lane-3); }
[data-lane="4"] { --lane: var(--lane-4); }
[data-lane="5"] { --lane: var(--lane-5); }
[data-lane="6"] { --lane: var(--lane-6); }
[data-lane="7"] { --lane: var(--lane-7); }
[data-lane="8"] { --lane: var(--lane-8); }
.prompt { border-block-start: 1px solid var(--border); }
.prompt .mark { color: var(--ink-soft); font-family: var(--engine); font-size: 0.8125rem; }
.field {
  flex: 1 1 8rem;
  min-inline-size: 0;
  min-block-size: var(--target);
  padding: 0 0.5rem;
  border: 1px solid var(--border-strong);
  border-radius: 0.375rem;
  background: var(--plate);
  font-family: var(--engine);
  font-size: 0.8125rem;
}
.field::placeholder { color: var(--ink-faint); opacity: 1; }
.end { justify-content: space-between; padding-block: 0; min-block-size: var(--target); border-block-start: 1px solid var(--border); color: var(--ink-soft); font-size: 0.75rem; }
.time { font-variant-numeric: tabular-nums; }
.open { margin-inline-start: auto; padding-block: 0.375rem; }
a { color: var(--verdigris); }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; user-select: none; }
@media (forced-colors: active) {
  /* Forced colours are those of the system's scheme, whatever the theme. */
  .repl[data-theme] { color-scheme: light dark; }
  .partly .current { outline: 1px solid Highlight; }
  button.main, button.main:hover { border-color: Highlight; background: Highlight; color: HighlightText; forced-color-adjust: none; }
  button[aria-disabled] { color: GrayText; }
}
@media (pointer: coarse) {
  .repl { --target: 2.75rem; }
  .field, textarea { font-size: 1rem; }
}
`;
