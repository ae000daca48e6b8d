// Finds the sources of the site, the Markdown files of this repository, and defines the order of their pages. Does not
// need git, which is missing when an image is built.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../../../..')

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.weir'])

/** Returns the files below a folder of the repository, sorted, without dependencies and build results. */
export async function repositoryFiles(folder = ''): Promise<string[]> {
  const entries = await readdir(join(repository, folder), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : repositoryFiles(path)
      return entry.isFile() ? [path] : []
    }),
  )
  return found.flat().sort()
}

export const isPage = (file: string): boolean => file.endsWith('.md')

export type Section = {
  readonly title: string
  /** The introduction of the section on the first page. */
  readonly says?: string
  readonly pages: readonly string[]
}

/**
 * `first` lists pages in their order. They are followed by the pages that match `begins`, and that no section lists in
 * `first`.
 */
type Order = Pick<Section, 'title' | 'says'> & { begins?: RegExp; first?: readonly string[] }

export const order: readonly Order[] = [
  {
    title: 'Start here',
    says: 'Start Weir, send an event, and read how it works.',
    begins: /^docs\/guide\//,
    first: ['docs/guide/quickstart.md', 'docs/guide/concepts.md'],
  },
  {
    title: 'Producers',
    says: 'You send events: write a contract, get a token, send.',
    first: ['docs/guide/producers.md', 'docs/guide/contracts.md', 'clients/node/README.md'],
  },
  {
    title: 'Analysts',
    says: 'You read events that were decrypted for your team.',
    begins: /^examples\//,
    first: ['docs/analysts.md', 'docs/guide/consumers.md', 'docs/export.md'],
  },
  {
    title: 'Privacy officers',
    says: 'You search for a person, erase, withdraw a consent, and prove it.',
    first: [
      'docs/guide/officers.md',
      'docs/forgetting.md',
      'docs/console.md',
      'docs/audit.md',
      'docs/guarantees.md',
      'docs/threat-model.md',
    ],
  },
  {
    title: 'Operators',
    says: 'You install Weir, and keep it running.',
    begins: /^k8s\//,
    first: [
      'docs/operations.md',
      'k8s/README.md',
      'docs/configuration.md',
      'docs/observability.md',
      'docs/runbooks/README.md',
      'docs/api-keys.md',
      'docs/performance.md',
    ],
  },
  { title: 'Reference', begins: /^docs\/[^/]+$|^docs\/reference\//, first: ['docs/glossary.md'] },
  { title: 'Errors', begins: /^docs\/errors\//, first: ['docs/errors.md'] },
  { title: 'Settings', begins: /^docs\/configuration\// },
  { title: 'Runbooks', begins: /^docs\/runbooks\// },
  { title: 'Decisions', begins: /^docs\/adr\// },
  { title: 'Parts', begins: /^(packages|services|clients|tools)\// },
  { title: 'Project', begins: /./, first: ['README.md'] },
]

/** Puts every page into one section. */
export function sectionsOf(pages: readonly string[]): Section[] {
  const named = new Set(order.flatMap(({ first = [] }) => first))
  const others = pages.filter((page) => !named.has(page))
  const sectionOf = (page: string) => order.find(({ begins }) => begins?.test(page))?.title
  return order.map(({ title, first = [], ...section }) => ({
    title,
    ...section,
    pages: [
      ...first.filter((page) => pages.includes(page)),
      ...others.filter((page) => sectionOf(page) === title),
    ],
  }))
}
