// The only template of all pages. A page loads no font, and nothing from another host; its content security policy
// blocks both. Only the pages of the site have a script, for the search.
import { escapeHtml } from './markdown.ts'
import { style } from './style.ts'

export type PageLink = { readonly href: string; readonly text: string; readonly isHere?: boolean }

export type HtmlPage = {
  readonly title: string
  /** HTML. */
  readonly body: string
  readonly styleHref: string
  /** The script of the site's search. */
  readonly scriptHref?: string | undefined
  readonly home: PageLink
  readonly links?: readonly PageLink[]
}

const policyOf = (...more: string[]): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')

/** For the pages of a service. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** For the files of the site, whose search is a script. */
export const siteHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policyOf("script-src 'self'"),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export const styleHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/css; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

export { style }

export const pageOf = ({
  title,
  body,
  styleHref,
  scriptHref,
  home,
  links = [],
}: HtmlPage): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(styleHref)}">${scriptHref === undefined ? '' : `\n<script defer src="${escapeHtml(scriptHref)}"></script>`}
</head>
<body>
<header>${linkOf(home)}</header>
<main>
${body}
</main>
<nav aria-label="Pages"><ul>
${links.map((link) => `<li>${linkOf(link)}</li>`).join('\n')}
</ul></nav>
</body>
</html>
`

const linkOf = ({ href, text, isHere = false }: PageLink): string =>
  `<a href="${escapeHtml(href)}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`
