// The sources of the site: the Markdown files of this repository, and the order of their pages. It finds the files
// without git, because the build of an image has none.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const repository = join(import.meta.dirname, '../../../..')

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.weir'])

/** The files below a folder of the repository, sorted, without dependencies and without what is built. */
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
  /** For the index: the readers of the section. */
  readonly says?: string
  readonly pages: readonly string[]
}

/** `first` are pages in their order. The other pages of a section are those that no section names, by pattern. */
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

/** Every page is in one section. */
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
