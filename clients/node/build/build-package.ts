// Builds the package for npm: JavaScript for Node 20 and later, with declarations and its own manifest, packed by `npm
// pack`. In this repository the sources run directly; nothing here imports the build.
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

const run = promisify(execFile)
const source = join(import.meta.dirname, '..')
const root = join(source, '../..')
const timeoutMs = 120_000

/** Returns the path of the packed file. */
export async function buildPackage(folder: string): Promise<string> {
  const built = join(folder, 'package')
  await rm(built, { recursive: true, force: true })
  await mkdir(built, { recursive: true })
  const tsc = join(root, 'node_modules/.bin/tsc')
  const options = ['-p', join(source, 'tsconfig.build.json'), '--outDir', built]
  await run(tsc, options, { timeout: timeoutMs })
  await pointAtDeclarations(built)
  await writeFile(join(built, 'package.json'), `${JSON.stringify(await manifestOf(), null, 2)}\n`)
  await copyFile(join(source, 'README.md'), join(built, 'README.md'))
  await copyFile(join(root, 'LICENSE'), join(built, 'LICENSE'))
  const packed = await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], {
    cwd: built,
    timeout: timeoutMs,
  })
  return join(folder, packed.stdout.trim().split('\n').at(-1) ?? '')
}

/** Changes the extensions of imports in declarations. The compiler changes them only in JavaScript. */
async function pointAtDeclarations(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true })
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/** Returns the manifest with the installed versions, because `catalog:` has no meaning outside this workspace. */
async function manifestOf(): Promise<object> {
  const { name, version, type, dependencies } = manifest
  const versions = await Promise.all(
    Object.keys(dependencies).map(async (each) => [each, `^${await installedVersion(each)}`]),
  )
  return {
    name,
    version,
    description: 'Sends events to Weir, and watches and reads its streams',
    license: 'Apache-2.0',
    type,
    engines: { node: '>=20' },
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    dependencies: Object.fromEntries(versions),
  }
}

async function installedVersion(name: string): Promise<string> {
  const text = await readFile(join(source, 'node_modules', name, 'package.json'), 'utf8')
  const { version }: { version?: unknown } = JSON.parse(text)
  if (typeof version !== 'string') throw new Error(`${name} has no version`)
  return version
}
