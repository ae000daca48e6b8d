// Checks the receipt for an erasure of `bob` with the reference TICKET-7.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect } from '@jest/globals'

import { asObject, request } from '../../src/world/account.ts'
import type { Account } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import { compiledBefore } from '../../src/world/run-program.ts'
import type { World } from '../../src/world/services.ts'

type Scene = { readonly own: OwnStack; readonly world: World; readonly account: Account }

const run = promisify(execFile)
const weir = join(import.meta.dirname, '../../../../clients/cli/bin/weir.js')

/** Checks, without any service, that the CLI accepts the receipt, and rejects another value or a changed receipt. */
export async function expectHolds(
  { own, world, account }: Scene,
  receipt: string,
  { salt, output }: { readonly salt: string; readonly output: string },
): Promise<void> {
  const jwks = (await request(world.auth.url, '', 'GET', '/.well-known/jwks.json')).text
  const [file, keys] = [join(own.folder, 'receipt'), join(own.folder, 'keys.json')]
  await writeFile(keys, jwks)
  const verify = async (text: string, value = 'bob', format = 'json') => {
    await writeFile(file, text)
    const args = ['erasure', 'verify', file, '--jwks', keys, '--value', value, '--salt', salt]
    return run(process.execPath, [weir, ...args, '-o', format], {
      cwd: own.folder,
      env: compiledBefore(),
    })
  }
  const { stdout } = await verify(receipt)
  expect(asObject(JSON.parse(stdout))).toMatchObject({
    billingId: account.billingId,
    levels: 'all',
    as: ['key_field'],
    contracts: [{ id: 'demo_v1', field: 'consistent_value' }],
    otherContracts: [],
    subjects: [expect.any(String)],
    completeAt: expect.any(String),
    reference: 'TICKET-7',
    outputs: [{ name: output, levels: [1, 2, 3], clearAt: expect.any(String) }],
    scanned: { topic: 'weir.keys', leader: 1 },
  })
  const { stdout: words } = await verify(receipt, 'bob', 'table')
  expect(words).toMatch(/What it says:\n- This receipt was signed .*\n\nWhat it does not say:\n- /s)
  await expect(verify(receipt, 'eve')).rejects.toThrow('not about this value')
  const at = receipt.indexOf('.') + 20
  const other = receipt[at] === 'A' ? 'B' : 'A'
  const changed = receipt.slice(0, at) + other + receipt.slice(at + 1)
  await expect(verify(changed)).rejects.toThrow('is not valid')
}

/** Checks that no service accepts the receipt as a token. */
export async function expectIsNoToken({ world, account }: Scene, receipt: string): Promise<void> {
  const { body } = await account.call('POST', '/refresh', { refreshToken: receipt })
  expect(body).toMatchObject({ code: 'invalid_credentials' })
  const calls = [
    request(world.ingest.url, receipt, 'POST', '/event', {}),
    request(world.auth.url, receipt, 'GET', '/v2/streams'),
  ]
  for (const { status } of await Promise.all(calls)) expect(status).toBe(401)
  await expect(listen(world.output.url, receipt)).rejects.toThrow('refused with status 401')
}
