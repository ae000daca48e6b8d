// A JVM that finds its classes prepared in an archive (class data sharing) starts in two thirds of the time.
// The first broker that ends in good order leaves one behind, for all later ones with the same jars and
// Java. An archive that doesn't fit is ignored by the JVM, so nothing depends on it but speed.

import { copyFile, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { randomUUID } from 'node:crypto'

export type ClassArchive = {
  /** The option for the next start. */
  option(): string
  /** To be called when that JVM has ended in good order: what it left is whole. */
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
