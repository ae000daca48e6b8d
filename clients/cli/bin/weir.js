#!/usr/bin/env node
// Starts the `weir` command under a Node that runs TypeScript directly. Any Node ≥ 20 can run this plain JavaScript.
// A Node before version 24.12 starts the Node that is installed with Weir, and passes on signals and the exit code.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PATIENCE_MS = 1_000
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
// 24.12 is the first version that runs TypeScript without a warning.
const isRecent = major > 24 || (major === 24 && minor >= 12)
const pinned = isRecent ? undefined : pinnedNode()

if (pinned !== undefined) {
  runUnder(pinned)
} else if (major >= 24) {
  await import('../src/main.ts')
} else {
  process.stderr.write(
    `weir: Node ${process.versions.node} is too old, and the Node 24 that comes with Weir isn't installed.\n` +
      '  Install it with `npx -y pnpm@12.21.0 install` in the repository, or use Node 24 or newer.\n',
  )
  process.exitCode = 1
}

/** Returns node_modules/node-<platform>-<arch>/bin/node in the nearest folder above that has it, or undefined. */
function pinnedNode() {
  const packageName = `node-${process.platform}-${process.arch}`
  for (let folder = dirname(main); ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', packageName, 'bin', 'node')
    if (existsSync(file)) return file
    if (folder === dirname(folder)) return undefined
  }
}

function runUnder(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // This process must outlive the child to report its exit code.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both processes. Passing SIGINT on immediately would kill the child during its clean
  // exit.
  process.on('SIGINT', () => setTimeout(() => child.kill('SIGINT'), PATIENCE_MS).unref())
  child.on('error', (error) => {
    process.stderr.write(`weir: ${node} can't be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + (constants.signals[signal] ?? 0)
  })
}
