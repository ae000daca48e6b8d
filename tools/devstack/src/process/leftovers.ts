// After a SIGKILL of the former start, its watchers still end their JVMs. A new start waits a limited time for these
// processes to end. Then it kills those that still run, because their watcher was killed, too.

import { delay } from '@weir/kit'

import type { FolderLock } from './folder-lock.ts'
import { isRunning } from './process-identity.ts'

// The watchers' own grace period and a little more.
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 50

export async function endLeftovers({ leftovers, ended }: FolderLock): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  while (leftovers.some(isRunning)) {
    if (performance.now() > deadline) {
      for (const { pid } of leftovers.filter(isRunning)) process.kill(pid, 'SIGKILL')
    }
    await delay(LOOK_EVERY_MS)
  }
  if (leftovers.length > 0) ended(leftovers.map(({ pid }) => pid))
}
