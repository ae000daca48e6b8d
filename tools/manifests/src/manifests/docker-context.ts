// Lists and copies the build context: files that neither git nor .dockerignore ignores.

import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

export async function contextFiles(): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await run('git', args, { cwd: REPOSITORY, maxBuffer: 16 * 1024 * 1024 })
  const ignored = createIgnored(await readFile(join(REPOSITORY, '.dockerignore'), 'utf8'))
  const files = stdout.split('\0').filter((file) => file !== '' && !ignored(file))
  return files.filter((file) => existsSync(join(REPOSITORY, file)))
}

export async function copyContext(folder: string): Promise<void> {
  for (const file of await contextFiles()) {
    await mkdir(join(folder, dirname(file)), { recursive: true })
    await cp(join(REPOSITORY, file), join(folder, file))
  }
}

/** The last pattern that matches the path or one of its parent folders decides. */
function createIgnored(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const rules = lines.map((line) => ({
    ignores: !line.startsWith('!'),
    pattern: regexOf(line.replace(/^!/, '')),
  }))
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.ignores ?? false
}

function regexOf(glob: string): RegExp {
  const parts = glob.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?'
    return part === '*' ? '[^/]*' : part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}(?:/.*)?$`)
}
