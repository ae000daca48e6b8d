// Runs a TypeScript entry point of this repository with any installed Node (>= 20): installs the dependencies when they
// are missing or outdated, then runs the pinned Node and waits for it. Plain JavaScript without dependencies. Its child
// processes never outlive this process.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode, noNodeSentence } from './pinned-node.js'

const root = resolve(fileURLToPath(import.meta.url), '../../../..')
const STAMP = join(root, 'node_modules', '.weir-installed')
const PARENT_CHECK_MS = 1000
/** Bundles the used parts of the Kafka client into one file. */
const BUILD = 'packages/kafka/client-library/build.ts'
const BUILT_FROM = [BUILD, 'packages/kafka/client-library/index.ts']
/** Node's compile cache of the TypeScript. It halves the processor time of a service's start. */
const COMPILED = join(root, '.weir', 'compiled')

process.exitCode = await main(process.argv.slice(2))

async function main([entry, ...args]) {
  if (entry === undefined)
    return fail('Usage: node tools/devstack/bin/bootstrap.js <entry.ts> [arguments]')
  const wanted = dependenciesHash()
  if (installedHash() !== wanted) {
    const code = (await install()) || (await build())
    if (code !== 0) return code
    writeFileSync(STAMP, wanted)
  }
  const node = findNode(root)
  if (node === undefined) return fail(noNodeSentence())
  // The channel closes when this process ends, also by SIGKILL, and the entry point then stops.
  const child = spawn(node, [resolve(root, entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
  })
  const watch = stopWhenOrphaned(child)
  const code = await outcome(child)
  clearInterval(watch)
  return code
}

/** Returns a hash of everything that determines the content of node_modules. A checkout changes file times. */
function dependenciesHash() {
  const folders = ['packages', 'services', 'clients', 'tools'].flatMap((parent) =>
    existsSync(join(root, parent))
      ? readdirSync(join(root, parent)).map((name) => join(parent, name))
      : [],
  )
  const manifests = ['.', ...folders].map((folder) => join(folder, 'package.json')).sort()
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests, ...BUILT_FROM]) {
    const path = join(root, file)
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function installedHash() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : ''
}

async function install() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  process.stderr.write('Installing the dependencies …\n')
  const args = ['-y', packageManager, 'install', '--frozen-lockfile']
  const output = []
  // CI prevents questions, because nobody could answer them.
  const child = spawn('npx', args, {
    cwd: root,
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const code = await outcome(child)
  if (code === 0 || code > 128) return code
  process.stderr.write(Buffer.concat(output))
  return fail(
    `The dependencies could not be installed: ${packageManager} ended with ${code} and said the above. ` +
      'Without a connection to the npm registry it cannot work the first time.',
  )
}

async function build() {
  if (!existsSync(join(root, BUILD))) return 0
  const node = findNode(root)
  if (node === undefined) return fail(noNodeSentence())
  return outcome(spawn(node, [join(root, BUILD)], { stdio: ['ignore', 'ignore', 'inherit'] }))
}

/** Waits for the child; forwards signals, and returns its exit code as a shell would. */
function outcome(child) {
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  return new Promise((done) => {
    child.once('error', (error) => done(fail(`Cannot run ${child.spawnfile}: ${error.message}`)))
    child.once('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]))
  }).finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward)
  })
}

/** Stops the child when npm has ended, because npm forwards no signal after a SIGKILL. */
function stopWhenOrphaned(child) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const parent = process.ppid
  return setInterval(() => process.ppid === parent || child.kill('SIGTERM'), PARENT_CHECK_MS)
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  return 1
}
