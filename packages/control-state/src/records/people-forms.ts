// How searches for people, and their results, are stored in control state.
import { listOf, number, objectOf, oneOf, optional, text } from '../forms/guards.ts'
import type {
  DecryptedField,
  FoundBy,
  FoundConsent,
  FoundInOutput,
  FoundInStream,
  FoundPeople,
  HeldIn,
  SearchRecord,
  SubjectAccessRecord,
} from './people-records.ts'

export const isTerm = oneOf('key_field', 'data_subject_field')

const isFoundBy = objectOf<FoundBy>({
  contract: text,
  field: text,
  as: isTerm,
  events: number,
  firstAt: text,
  lastAt: text,
})

const isFound = objectOf<FoundInStream>({
  stream: text,
  by: listOf(isFoundBy),
  consent: optional(listOf(objectOf<FoundConsent>({ level: number, events: number }))),
  erased: optional(oneOf(true)),
  withdrawn: optional(listOf(number)),
  held: listOf(
    objectOf<HeldIn>({
      name: text,
      kind: oneOf('input', 'output', 'dead', 'deleted'),
      events: number,
      erased: optional(number),
      fields: listOf(objectOf<DecryptedField>({ contract: text, field: text, level: number })),
      until: optional(text),
      because: optional(text),
    }),
  ),
  notSearched: optional(text),
})

export const isSearch = objectOf<SearchRecord>({
  type: oneOf('search'),
  searchHash: text,
  sealedValue: text,
  billingId: text,
  startedAtMs: number,
  seenAtMs: number,
  scanned: number,
  total: number,
  streams: optional(listOf(isFound)),
})

export const isFoundPeople = objectOf<FoundPeople>({
  values: number,
  events: number,
  by: listOf(isFoundBy),
  outputs: optional(
    listOf(objectOf<FoundInOutput>({ name: text, events: number, levels: listOf(number) })),
  ),
  notSearched: optional(text),
  searchedAtMs: number,
})

export const isSubjectAccess = objectOf<SubjectAccessRecord>({
  type: oneOf('subject-access'),
  accessHash: text,
  sealedPerson: text,
  billingId: text,
  streamId: text,
  fromMs: optional(number),
  untilMs: optional(number),
  expiresAtMs: number,
  askedBy: objectOf<SubjectAccessRecord['askedBy']>({ keyId: text, name: text }),
})
