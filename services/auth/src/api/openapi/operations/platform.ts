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
    says: 'The keys at rest: wrapping keys, KEKs and the last key rotation',
    ...answer(200, 'The keys', ref('Keys')),
  })
  tell('rotateKeys', 'POST /keys/rotations', 'platform', {
    says: 'Starts a key rotation, or reports the one in progress',
    ...answer(202, 'The rotation', ref('Rotation')),
  })
  tell('rotateSigningKeys', 'POST /platform/signing-keys/rotate', 'platform', {
    says: 'Creates a signing key for tokens, and uses it immediately. With `revoke`, the tokens of all former keys become invalid within a second, and at Kafka brokers later, as the response says',
    body: { content: json(ref('SigningKeysRequest')), mayBeMissing: true },
    ...answer(200, 'The new key and those that were revoked', ref('SigningKeys')),
  })
}

function tellAudit(tell: Tell): void {
  tell('showAudit', 'GET /audit', 'platform', {
    says: 'The entries of the account in the audit log, or with the platform key all entries',
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
        says: 'the value of `next` on the previous page',
        schema: { type: 'string', pattern: '^[\\w-]{1,22}$' },
      },
    ],
    ...answer(200, 'A page of entries', ref('AuditPage')),
  })
  tell('showAuditChain', 'GET /audit/chain', 'platform', {
    says: 'The audit log as it is stored in its topic, for checking its hashes',
    query: [
      {
        name: 'after',
        says: 'the value of `next` on the previous page',
        schema: { type: 'string', pattern: '^[0-9]{1,18}$' },
      },
    ],
    ...answer(200, 'A page of records', ref('AuditChain')),
  })
}
