// The responses about erasures, receipts, and searches for people.
import { count, level, listOf, string, time } from '@weir/http-api'
import { z } from 'zod'

const as = z.enum(['key_field', 'data_subject_field'])
const span = { firstAt: time, lastAt: time }
const by = listOf(z.strictObject({ contract: string, field: string, as, events: count, ...span }))
const timeOrUnknown = z.union([time, z.literal('unknown')])

const reached = z.strictObject({ at: time })
const state = z.union([reached, z.strictObject({ expectedBy: timeOrUnknown })])
const later = { applied: state, complete: state, destroyed: state }
const states = z.strictObject({ accepted: reached, ...later })

const outputHolding = z.strictObject({
  name: string,
  tags: listOf(string).describe('of the output; present if it has any').optional(),
  levels: listOf(level),
  events: count.describe('the events that the search found in the topic').optional(),
  foundLevels: listOf(level)
    .describe(
      'the levels of the fields that are decrypted in these events; after a withdrawal only those that it concerns: of withdrawn levels, or any if the output requires a withdrawn level',
    )
    .optional(),
  clearAt: timeOrUnknown,
  /** The reason, if `clearAt` is unknown. */
  because: string.optional(),
  /** True if the output is deleted, and its topic still exists. */
  deleted: z.boolean().optional(),
})

const readersOutput = outputHolding
  .pick({ name: true, tags: true, levels: true, events: true })
  .extend({
    keyMaxAgeSeconds: count.describe('how long readers may use a key'),
  })

const erasure = {
  id: z.uuid(),
  state: states.keyof(),
  as: listOf(as).describe(
    'whether the values are values of a key field, or data subjects, or both',
  ),
  values: count,
  found: z
    .strictObject({
      values: count,
      events: count,
      by,
      notSearched: string.describe('why a part of the stream was not searched').optional(),
      searchedAt: time,
    })
    .describe(
      'what a search before the erasure has found in the input stream: of how many of the values, and how many events',
    ),
  reference: string.optional(),
  dueOn: z.iso.date().optional(),
  levels: listOf(level).describe('the levels that are withdrawn').optional(),
  terms: listOf(count),
  progress: z
    .strictObject({ links: count, erased: count })
    .describe(
      'while the erasure is not finished: the number of pseudonyms in all terms, and how many of them are erased',
    )
    .optional(),
  states,
  incompleteSince: time
    .describe(
      'present if a restore has lost links of data subjects: events that were stored between this time and the restore may not be erased',
    )
    .optional(),
  outputs: listOf(outputHolding).describe(
    'the outputs whose topics may contain values that were decrypted before the erasure was applied, with the time when each is clear',
  ),
  readers: listOf(readersOutput).describe(
    'the outputs whose topics contain the fields encrypted, and whose readers decrypt them; `applied` is reached when the keys that readers got before are older than keyMaxAgeSeconds',
  ),
  input: z
    .strictObject({ clearAt: timeOrUnknown, because: string.optional() })
    .describe('when Kafka will have removed the events themselves from the input stream')
    .optional(),
}

const held = z.strictObject({
  name: string,
  kind: z.enum(['input', 'output', 'dead', 'deleted']),
  events: count,
  erased: count.optional(),
  decrypted: listOf(string),
  levels: listOf(level).describe('the levels of these fields'),
  fields: listOf(z.strictObject({ contract: string, field: string, level })).describe(
    'the decrypted fields by contract, because a field may have another level in another contract',
  ),
  until: timeOrUnknown.optional(),
  because: string.optional(),
})
const foundInStream = z.strictObject({
  stream: string,
  by,
  consent: listOf(z.strictObject({ level, events: count }))
    .describe(
      'the consent levels that the events in the input were sent with, and the number of these events; withdrawals do not change them',
    )
    .optional(),
  erased: z.boolean().describe('nobody can decrypt any of the events in the input').optional(),
  withdrawn: listOf(level)
    .describe('the levels at which nobody can decrypt the events that are not erased')
    .optional(),
  notApplied: z
    .boolean()
    .describe(
      'present with erased or withdrawn events while a request of the stream, perhaps that of this person, is not applied by all services',
    )
    .optional(),
  held: listOf(held).describe(
    'the topics that were searched, with the fields that are decrypted there',
  ),
  notSearched: string.describe('why the stream, or a part of it, was not searched').optional(),
})
const term = z.strictObject({ term: count, from: time, until: time, links: count })

export const erasureAnswers = {
  Erasure: z.strictObject(erasure),
  NewErasure: z.strictObject({
    ...erasure,
    links: count.optional(),
    salt: string,
    warnings: listOf(string).optional(),
  }),
  Receipt: z.strictObject({ receipt: string }),
  Verified: z.strictObject({
    isValid: z.boolean(),
    why: string.describe('why it is not valid').optional(),
    warning: string
      .describe('present if a restore may have undone what the receipt says')
      .optional(),
    reason: z
      .enum(['not_a_receipt', 'unknown_key', 'wrong_signature'])
      .describe('why it is not valid, for programs')
      .optional(),
    isAboutValue: z.boolean().describe('present if a value was sent').optional(),
    title: string.describe('what the receipt is of').optional(),
    says: listOf(string).optional(),
    doesNotSay: listOf(string).optional(),
    claims: z
      .record(string, z.unknown())
      .describe('of the receipt, as docs/forgetting.md lists them')
      .optional(),
  }),
  NewSearch: z.strictObject({ searchId: string }),
  Search: z.strictObject({
    searchId: string,
    state: z.enum(['running', 'done', 'failed']),
    because: string.optional(),
    startedAt: time,
    scanned: count,
    total: count,
    streams: listOf(foundInStream).optional(),
  }),
  SubjectAccess: z.strictObject({ accessToken: string, expiresAt: time }),
  Subject: z.strictObject({
    links: count,
    terms: listOf(term),
    contracts: listOf(z.strictObject({ id: string, field: string })),
    otherContracts: listOf(string),
  }),
}
