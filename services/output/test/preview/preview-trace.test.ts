// A preview with samples is reported to the audit log before any record is read. If the report fails, nothing is read.
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import type { Role } from '@weir/control-state'
import { errors } from '../../src/errors.ts'
import { preview } from '../../src/preview/preview.ts'
import { inputStream } from '../support/streams.ts'

type Deps = Parameters<typeof preview>[0]
type Call = Parameters<ReturnType<typeof preview>>[0]

/** Returns the dependencies of a preview. The first read is recorded, and ends the preview. */
const depsOf = (reads: string[]): Deps =>
  ({
    follower: { tables: { stream: () => inputStream() }, refresh: async () => {} },
    levels: undefined,
    limited: (_account: string, work: () => Promise<unknown>) => work(),
    trace: {
      async read() {
        throw new AppError('control-state.unavailable', 'no trace')
      },
    },
    offsets: {
      async earliest() {
        reads.push('read')
        throw new Error('enough')
      },
    },
  }) as unknown as Deps

const callBy = (role: Role): Call =>
  ({
    caller: { billingId: 'acme', apiKey: { role }, actor: {} },
    param: () => 'clicks',
    readBody: async () => Buffer.from('{"consentLevels":[0]}'),
  }) as unknown as Call

test('an owner gets 503 and nothing is read, while nobody can be told of the reading', async () => {
  const reads: string[] = []
  const outcome = await (async () => preview(depsOf(reads))(callBy('owner')))().catch(
    errors.refusalOf,
  )
  expect(outcome).toMatchObject({ code: 'unavailable' })
  expect(reads).toEqual([])
})

test('a developer, who sees no sample, leaves no trace and needs none', async () => {
  const reads: string[] = []
  await expect(preview(depsOf(reads))(callBy('developer'))).rejects.toThrow('enough')
  expect(reads).toEqual(['read'])
})
