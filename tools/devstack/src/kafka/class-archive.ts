// A JVM with an archive of prepared classes (class data sharing) starts in two thirds of the time. The first broker
// that stops cleanly creates the archive, for all later brokers with the same jars and Java. The JVM ignores an archive
// that doesn't fit, so an archive affects only speed.

import { copyFile, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { randomUUID } from 'node:crypto'

export type ClassArchive = {
  /** The JVM option for the next start. */
  option(): string
  /** Call when the JVM has stopped cleanly, because only then its archive is complete. */
  keep(): Promise<void>
}

export function createClassArchive(path: string, draft: string): ClassArchive {
  return {
    option: () =>
      existsSync(path) ? `-XX:SharedArchiveFile=${path}` : `-XX:ArchiveClassesAtExit=${draft}`,
    async keep() {
      if (!existsSync(draft)) return
      const whole = `${path}.${randomUUID()}`
      await copyFile(draft, whole)
      await rename(whole, path)
      await rm(draft)
    },
  }
}
