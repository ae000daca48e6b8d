// One owner per folder. The lock is a file that names its owner, and the processes that the owner has started. So the
// next owner can detect that the former one was killed, and wait for processes that are still ending.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { AppError } from '@weir/kit'

import { hasErrno } from '../errno.ts'
import { identifyProcess, isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

export type FolderLock = {
  /** Processes that a killed former owner had started, and had not reported as ended. */
  leftovers: readonly ProcessIdentity[]
  started(pids: readonly number[]): void
  ended(pids: readonly number[]): void
  release(): void
}

type Owner = ProcessIdentity & { processes: ProcessIdentity[] }

/** Throws AppError `already_running` if another living process owns the folder. */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, 'stack.lock')
  const self = identifyProcess(process.pid)
  if (self === undefined) throw new Error('this process cannot be found')
  const former = takeOver(path)
  if (!createWhole(path, { ...self, processes: former })) throw alreadyRunning(folder, path)

  const processes = new Map(former.map((one) => [one.pid, one]))
  let held = true
  const save = () => {
    if (held) replaceWhole(path, { ...self, processes: [...processes.values()] })
  }
  return {
    leftovers: former,
    started(pids) {
      for (const identity of pids.map(identifyProcess)) {
        if (identity !== undefined) processes.set(identity.pid, identity)
      }
      save()
    },
    ended(pids) {
      for (const pid of pids) processes.delete(pid)
      save()
    },
    release() {
      held = false
      rmSync(path, { force: true })
    },
  }
}

/** Throws AppError `already_running` if another living process owns the folder now. */
export function demandUnlocked(folder: string): void {
  const path = join(folder, 'stack.lock')
  const owner = readOwner(path)
  if (owner !== undefined && isRunning(owner)) throw alreadyRunning(folder, path)
}

// Moves a dead owner's file instead of deleting it, so that only one of two processes gets the file. A process that
// moved a living owner's file moves it back.
function takeOver(path: string): ProcessIdentity[] {
  const owner = readOwner(path)
  if (owner !== undefined && isRunning(owner)) return []
  const aside = `${path}.${randomUUID()}`
  try {
    renameSync(path, aside)
  } catch {
    return []
  }
  const moved = readOwner(aside)
  if (moved !== undefined && isRunning(moved)) restore(aside, path)
  rmSync(aside, { force: true })
  return owner?.processes.filter(isRunning) ?? []
}

function restore(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch {
    // A third process has the lock by now.
  }
}

function createWhole(path: string, owner: Owner): boolean {
  const draft = writeDraft(path, owner)
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function replaceWhole(path: string, owner: Owner): void {
  renameSync(writeDraft(path, owner), path)
}

function writeDraft(path: string, owner: Owner): string {
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, JSON.stringify(owner))
  return draft
}

function readOwner(path: string): Owner | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isOwner(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is Owner {
  return (
    isIdentity(value) &&
    'processes' in value &&
    Array.isArray(value.processes) &&
    value.processes.every(isIdentity)
  )
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    typeof value.started === 'string'
  )
}

function alreadyRunning(folder: string, path: string): AppError<'already_running'> {
  const owner = readOwner(path)
  const who = owner === undefined ? '' : ` (process ${owner.pid})`
  return new AppError(
    'already_running',
    `Weir runs on ${folder} already${who}. Stop it first, or give this one another folder.`,
  )
}
