// Builds the page with Vite if its sources have changed. `npm start` and the tests call it; the image runs it as a
// program. A hash identifies the sources, because file times mean nothing after a checkout.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const folder = dirname(import.meta.dirname)
const consoleFolder = join(folder, 'dist')
const stampFile = '.built-from'

/** Resolves when the page is built. Calls `say` only if the page must be built. Throws with Vite's output. */
export async function buildConsole(say: (line: string) => void = () => {}): Promise<void> {
  const stamp = await stampOf()
  if ((await readFile(join(consoleFolder, stampFile), 'utf8').catch(() => '')) === stamp) return
  say('Building the console …')
  const made = `${consoleFolder}.${process.pid}`
  try {
    await runVite(made)
    await writeFile(join(made, stampFile), stamp)
    // Another process may be serving the old page, so the folder is replaced as a whole.
    await rm(consoleFolder, { recursive: true, force: true })
    await rename(made, consoleFolder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

async function stampOf(): Promise<string> {
  const entries = await readdir(join(folder, 'web'), { recursive: true, withFileTypes: true })
  const web = entries
    .filter((entry) => entry.isFile())
    .map((each) => join(each.parentPath, each.name))
  const hash = createHash('sha256')
  for (const file of [...web, join(folder, 'vite.config.js'), join(folder, 'package.json')].sort())
    hash.update(`${file.slice(folder.length)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function runVite(outDir: string): Promise<void> {
  const vite = join(
    dirname(createRequire(import.meta.url).resolve('vite/package.json')),
    'bin/vite.js',
  )
  const child = spawn(process.execPath, [vite, 'build', '--outDir', outDir, '--emptyOutDir'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => output.push(piece))
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  if (code !== 0)
    throw new Error(`The console could not be built. ${Buffer.concat(output).toString()}`)
}

if (import.meta.main) await buildConsole()
