// Writes an export to standard output, or to a file that only its owner can read. Until the file is complete, it has
// another name, and is deleted if the export ends early.
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError, failure, misuse } from '../errors.ts'
import { fileFault } from '../file-fault.ts'
import type { Results } from '../terminal/terminal.ts'
import type { EventSink } from './event-writer.ts'

export type OutputFile = EventSink & {
  /** Call it when everything is written. */
  complete(): Promise<void>
  /** Deletes the incomplete file. After `complete` it does nothing. */
  discard(): Promise<void>
}

/** Opens a file, or standard output if `path` is `-`. Pipes and devices are written directly. */
export async function openOutput(terminal: Results, path: string): Promise<OutputFile> {
  if (path === '-') return toStandardOutput(terminal)
  try {
    return await toFile(path)
  } catch (error) {
    throw error instanceof CliError ? error : writeFault(path, error)
  }
}

function toStandardOutput(terminal: Results): OutputFile {
  return {
    async write(bytes) {
      if (!terminal.write(bytes)) await terminal.drained()
    },
    complete: async () => undefined,
    discard: async () => undefined,
  }
}

async function toFile(path: string): Promise<OutputFile> {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) throw misuse(`${path} is a folder`)
  const isReplaced = there === undefined || there.isFile()
  // If the path is a link, its target is replaced.
  const target = there === undefined ? path : await realpath(path)
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  const file = await open(isReplaced ? draft : target, isReplaced ? 'wx' : 'w', 0o600)
  let isOver = false
  return {
    async write(bytes) {
      try {
        await file.writeFile(bytes)
      } catch (error) {
        throw writeFault(path, error)
      }
    },
    async complete() {
      isOver = true
      if (isReplaced) await file.sync()
      await file.close()
      if (isReplaced) await rename(draft, target)
    },
    async discard() {
      if (isOver) return
      isOver = true
      await file.close()
      if (isReplaced) await rm(draft, { force: true })
    },
  }
}

const writeFault = (path: string, error: unknown) => failure(fileFault(path, error, 'written'))
