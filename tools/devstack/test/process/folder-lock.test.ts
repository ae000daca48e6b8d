// One owner per folder, after every kind of end of the former owner.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { lockFolder } from '../../src/process/folder-lock.ts'
import { identifyProcess } from '../../src/process/process-identity.ts'
import type { ProcessIdentity } from '../../src/process/process-identity.ts'
import { inTemporaryFolder } from '../fixtures/temporary.ts'

function ownIdentity(): ProcessIdentity {
  const self = identifyProcess(process.pid)
  if (self === undefined) throw new Error('a process that runs has an identity')
  return self
}

async function endedProcess(): Promise<ProcessIdentity> {
  const child = spawn('sleep', ['60'])
  const identity = identifyProcess(child.pid ?? 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  if (identity === undefined) throw new Error('sleep did not start')
  return identity
}

test('a folder that a living process owns is refused, with its process id and what to do', () =>
  inTemporaryFolder(async (folder) => {
    const lock = lockFolder(folder)

    expect(() => lockFolder(folder)).toThrow(
      `Weir runs on ${folder} already (process ${process.pid}). Stop it first`,
    )

    lock.release()
    lockFolder(folder).release()
    expect(await readdir(folder)).toEqual([])
  }))

test('after its owner was killed it is free, and tells which of its processes still run', () =>
  inTemporaryFolder(async (folder) => {
    const living = ownIdentity()
    const ended = await endedProcess()
    const content = JSON.stringify({ ...ended, processes: [living, { ...ended, pid: 4_000_000 }] })
    await writeFile(join(folder, 'stack.lock'), content)

    const lock = lockFolder(folder)

    expect(lock.leftovers).toEqual([living])
    lock.release()
  }))

test('a process that got the id of the killed owner does not count as the owner', () =>
  inTemporaryFolder(async (folder) => {
    const reused = { pid: process.pid, started: 'at another time', processes: [] }
    await writeFile(join(folder, 'stack.lock'), JSON.stringify(reused))

    const lock = lockFolder(folder)

    expect(lock.leftovers).toEqual([])
    lock.release()
  }))

test('a lock that nobody can read blocks nobody', () =>
  inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'stack.lock'), '')
    lockFolder(folder).release()
    expect(await readdir(folder)).toEqual([])
  }))

test('it names the processes that run for its owner, so that the next one can wait for them', () =>
  inTemporaryFolder(async (folder) => {
    const lock = lockFolder(folder)
    const written = async () => JSON.parse(await readFile(join(folder, 'stack.lock'), 'utf8'))

    lock.started([process.pid])
    expect(await written()).toMatchObject({ processes: [ownIdentity()] })

    lock.ended([process.pid])
    expect(await written()).toMatchObject({ pid: process.pid, processes: [] })
    lock.release()
  }))
