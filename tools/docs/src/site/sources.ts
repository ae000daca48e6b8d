// The sources of the site: the Markdown files of this repository in git, and the order of their pages.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

/** Includes uncommitted files, but not what git ignores. */
export async function repositoryFiles(): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await run('git', args, { cwd: REPOSITORY, maxBuffer: 16 * 1024 * 1024 })
  const files = stdout.split('\0').filter((file) => file !== '')
  return files.filter((file) => existsSync(join(REPOSITORY, file)))
}

export const isPage = (file: string): boolean => file.endsWith('.md')

export type Section = { readonly title: string; readonly pages: readonly string[] }

/** A page belongs to the first section whose pattern its path matches. In it, the pages in `first` come first. */
const order: readonly { title: string; begins: RegExp; first?: readonly string[] }[] = [
  {
    title: 'Guide',
    begins: /^docs\/guide\/|^README\.md$/,
    first: ['quickstart', 'concepts', 'contracts', 'producers', 'consumers'].map(
      (name) => `docs/guide/${name}.md`,
    ),
  },
  { title: 'Errors', begins: /^docs\/errors/ },
  { title: 'Settings', begins: /^docs\/configuration/ },
  { title: 'Reference', begins: /^docs\/reference\// },
  { title: 'Runbooks', begins: /^docs\/runbooks\// },
  { title: 'Decisions', begins: /^docs\/adr\// },
  { title: 'Documents', begins: /^docs\// },
  { title: 'Parts', begins: /^(packages|services|clients|tools|k8s|examples)\// },
  { title: 'Project', begins: /./ },
]

export function sectionsOf(pages: readonly string[]): Section[] {
  const sectionOf = (page: string) => order.find(({ begins }) => begins.test(page))?.title
  return order.map(({ title, first = [] }) => {
    const own = pages.filter((page) => sectionOf(page) === title)
    const named = first.filter((page) => own.includes(page))
    return { title, pages: [...named, ...own.filter((page) => !named.includes(page))] }
  })
}
