// The keys at rest and the audit log.
import { schema } from '@weir/docs'
import { answer, moment } from '../tell.ts'
import type { Tell } from '../tell.ts'

const { json, ref } = schema

export function tellPlatform(tell: Tell): void {
  tellKeys(tell)
  tellAudit(tell)
}

function tellKeys(tell: Tell): void {
  tell('showKeys', 'GET /keys', 'platform', {
    says: 'The keys at rest: wrapping keys, KEKs, the last key rotation',
    ...answer(200, 'The keys', ref('Keys')),
  })
  tell('rotateKeys', 'POST /keys/rotations', 'platform', {
    says: 'Starts a key rotation, or reports the one in progress',
    ...answer(202, 'The rotation', ref('Rotation')),
  })
  tell('rotateSigningKeys', 'POST /platform/signing-keys/rotate', 'platform', {
    says: 'A new key signs tokens at once; with `revoke` the tokens of all former keys become invalid within a second, at brokers later, as the answer says',
    body: { content: json(ref('SigningKeysRequest')), mayBeMissing: true },
    ...answer(200, 'The new key and those that were revoked', ref('SigningKeys')),
  })
}

function tellAudit(tell: Tell): void {
  tell('showAudit', 'GET /audit', 'platform', {
    says: "The audit log: the account's own entries, or with the platform key all entries",
    query: [
      moment('from', 'the start of the time range; default: one day before `until`'),
      moment('until', 'the end of the time range; default: now'),
      {
        name: 'limit',
        says: 'maximum number of entries',
        schema: { type: 'integer', minimum: 1, maximum: 1000 },
      },
      {
        name: 'after',
        says: '`next` of the page before',
        schema: { type: 'string', pattern: '^[\\w-]{1,22}$' },
      },
    ],
    ...answer(200, 'A page', ref('AuditPage')),
  })
  tell('showAuditChain', 'GET /audit/chain', 'platform', {
    says: 'The audit log as stored in its topic, to check its hashes',
    query: [
      {
        name: 'after',
        says: '`next` of the page before',
        schema: { type: 'string', pattern: '^[0-9]{1,18}$' },
      },
    ],
    ...answer(200, 'A page', ref('AuditChain')),
  })
}
