// Finds the Node that runs Weir's TypeScript sources: the one that the lockfile pins, installed from npm under
// node_modules, so that a machine's older Node doesn't matter. Plain JavaScript for any Node >= 20. Starts and installs
// nothing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const MAJOR_MIN = 24

/** Returns the path of a Node that runs `.ts` files directly, or undefined if there is none. */
export function findNode(root) {
  const name = `node-${process.platform}-${process.arch}`
  const pinned = join(root, 'node_modules', name, 'bin', 'node')
  if (existsSync(pinned)) return pinned
  return Number.parseInt(process.versions.node, 10) >= MAJOR_MIN ? process.execPath : undefined
}

export function noNodeSentence() {
  return (
    `Weir runs on Node ${MAJOR_MIN} or newer. For ${process.platform}-${process.arch} npm has no ready one, and ` +
    `this is Node ${process.versions.node}. Please install Node ${MAJOR_MIN} and start again.`
  )
}
