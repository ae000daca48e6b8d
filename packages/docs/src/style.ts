// The style sheet of all pages, light and dark by the reader's setting, without external resources.
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e3e8ef);
  --paper: light-dark(#ffffff, #12171f);
  --quiet: light-dark(#55606e, #9aa7b6);
  --line: light-dark(#d9dfe6, #2c3644);
  --code: light-dark(#f3f5f8, #1a212c);
  --link: light-dark(#0b5cad, #7db8ff);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 76rem;
  padding: 0 1.25rem 4rem;
  color: var(--ink);
  background: var(--paper);
  font: 1rem/1.6 system-ui, sans-serif;
  display: grid;
  grid-template: 'header header' auto 'nav main' 1fr / 15rem minmax(0, 1fr);
  gap: 0 2.5rem;
}
header { grid-area: header; padding: 1rem 0; border-bottom: 1px solid var(--line); font-weight: 600; display: flex; gap: 1rem; justify-content: space-between; }
search { position: relative; font-weight: 400; }
search p { position: absolute; right: 100%; margin: 0.5rem; font-size: 0.9rem; color: var(--quiet); white-space: nowrap; }
search ul { position: absolute; right: 0; z-index: 1; width: min(30rem, 80vw); margin: 0; padding: 0; list-style: none; background: var(--paper); box-shadow: 0 0 0 1px var(--line); }
search ul:empty { display: none; }
search li a { display: block; padding: 0.3rem 0.75rem; }
search li a:focus { background: var(--code); }
nav { grid-area: nav; padding-top: 1.5rem; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.15rem 0; overflow-wrap: anywhere; }
nav a { color: var(--quiet); text-decoration: none; }
nav a[aria-current], nav a:hover { color: var(--ink); text-decoration: underline; }
main { grid-area: main; padding-top: 0.5rem; }
a { color: var(--link); }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 0.75rem; overflow-wrap: anywhere; }
h1 { margin-top: 1.25rem; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: 0.3rem; }
code { font: 0.9em ui-monospace, monospace; background: var(--code); border-radius: 3px; padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1rem; overflow-x: auto; }
#result pre { white-space: pre-wrap; }
#result pre, #result a { overflow-wrap: anywhere; }
.verdict { border-left: 6px solid; background: var(--code); padding: 0.1rem 1rem; margin: 1.5rem 0; }
.verdict h2 { border: 0; padding: 0; margin: 0.7rem 0 0; }
.verdict.good { border-color: light-dark(#17683a, #7fd6a0); }
.verdict.good h2 { color: light-dark(#17683a, #7fd6a0); }
.verdict.other { border-color: light-dark(#8a5a00, #f0c36b); }
.verdict.other h2 { color: light-dark(#8a5a00, #f0c36b); }
.verdict.bad { border-color: light-dark(#a61b1b, #ff9a91); }
.verdict.bad h2 { color: light-dark(#a61b1b, #ff9a91); }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0.4rem 0.9rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
textarea, input:not([type='file']) { font: inherit; width: min(100%, 40rem); padding: 0.4rem 0.6rem; }
.method { font: 600 0.85em ui-monospace, monospace; display: inline-block; min-width: 4.5rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 55rem) {
  body { display: block; }
}
@media print {
  body { display: block; }
  nav, search, form, button, noscript { display: none; }
}
`
