// Finds the targets of links on the site. A link to a page leads to its HTML. A link to a folder or another file of the
// repository leads to a page that shows it. Broken links are collected, so that the build can fail.
import { posix } from 'node:path'

import { isPage } from './sources.ts'

export type Known = {
  /** All files of the repository. */
  readonly files: ReadonlySet<string>
  readonly idsOf: (page: string) => ReadonlySet<string>
}

export type Linker = {
  linkTo(from: string, href: string): string
  /** Linked files and folders that aren't pages. */
  readonly shown: ReadonlySet<string>
  readonly images: ReadonlySet<string>
  readonly broken: readonly string[]
}

/**
 * Returns a file's path on the site. The site has the files of docs/ at its top, so that auth serves docs/errors.md as
 * /docs/errors.
 */
export const siteOf = (file: string): string => file.replace(/^docs\//, '')

export const htmlOf = (file: string): string => `${siteOf(file).replace(/\.md$/, '')}.html`

/** Returns a relative link between two paths of the site. */
export const hrefBetween = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to)

export function createLinker({ files, idsOf }: Known): Linker {
  const shown = new Set<string>()
  const images = new Set<string>()
  const broken: string[] = []
  const isFolder = (path: string): boolean => [...files].some((file) => file.startsWith(`${path}/`))

  function linkTo(from: string, href: string): string {
    if (/^[a-z]+:/.test(href)) return href
    const [path = '', hash = ''] = href.split('#')
    const target =
      path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '')
    const suffix = hash === '' ? '' : `#${hash}`
    // a page replaces the folder with the same name
    if (files.has(`${target}.md`)) return `${hrefBetween(htmlOf(from), htmlOf(target))}${suffix}`
    if (isPage(target) && files.has(target)) {
      if (hash !== '' && !idsOf(target).has(hash)) broken.push(`${from}: ${href}`)
      return `${hrefBetween(htmlOf(from), htmlOf(target))}${suffix}`
    }
    if (/\.(svg|png)$/.test(target) && files.has(target)) {
      images.add(target)
      return hrefBetween(htmlOf(from), siteOf(target))
    }
    if (!files.has(target) && !isFolder(target)) {
      broken.push(`${from}: ${href}`)
      return href
    }
    shown.add(target)
    return hrefBetween(htmlOf(from), htmlOf(target))
  }

  return { linkTo, shown, images, broken }
}
