// The operations on quotas, keys and the audit log.
import { answer, body, moment } from '../tell.ts'
import type { Tell } from '../tell.ts'

export function tellPlatform(tell: Tell): void {
  tellQuotas(tell)
  tellKeys(tell)
  tellAudit(tell)
}

function tellQuotas(tell: Tell): void {
  tell('showQuotas', 'GET /platform/accounts/:billingId/quotas', 'platform', {
    says: 'What an account may have and do, and how much it has',
    ...answer(200, 'The quotas', 'AccountQuotas'),
  })
  tell('setQuotas', 'PUT /platform/accounts/:billingId/quotas', 'platform', {
    says: 'Sets the quotas of an account. Quotas that are not in the request get their defaults. What the account already has stays, but limits of its streams are lowered to the quotas',
    ...body('QuotasRequest'),
    ...answer(200, 'The quotas', 'AccountQuotas'),
  })
}

function tellKeys(tell: Tell): void {
  tell('showKeys', 'GET /keys', 'platform', {
    says: 'The keys at rest: wrapping keys, KEKs and the last key rotation',
    ...answer(200, 'The keys', 'Keys'),
  })
  tell('rotateKeys', 'POST /keys/rotations', 'platform', {
    says: 'Starts a key rotation, or reports the one in progress',
    ...answer(202, 'The rotation', 'Rotation'),
  })
  tell('rotateSigningKeys', 'POST /platform/signing-keys/rotate', 'platform', {
    says: 'Creates a signing key for tokens, and uses it immediately. With `revoke`, the tokens of all former keys become invalid within a second, and at Kafka brokers later, as the response says',
    ...body('SigningKeysRequest', true),
    ...answer(200, 'The new key and those that were revoked', 'SigningKeys'),
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
    ...answer(200, 'A page of entries', 'AuditPage'),
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
    ...answer(200, 'A page of records', 'AuditChain'),
  })
}
