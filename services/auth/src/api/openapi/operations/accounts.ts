import { all, answer, body } from '../tell.ts'
import type { Tell } from '../tell.ts'

export function tellAccounts(tell: Tell, v: 'V1' | 'V2'): void {
  tell('showAccount', 'GET /account', 'accounts', {
    says: 'The account of the API key',
    ...answer(200, 'The account', 'Account'),
  })
  tellPurposes(tell)
  tell('createAccount', 'POST /accounts', 'accounts', {
    says: 'Creates an account, with its first API key',
    ...body('AccountRequest'),
    ...answer(
      201,
      'The account and its API key, which is shown only in this response',
      'NewAccount',
    ),
  })
  tell('deleteAccount', 'DELETE /accounts/:billingId', 'accounts', {
    says: 'Deletes an account with its streams, contracts and API keys, with all events and keys',
    ...answer(200, 'The streams that were deleted', `DeletedStreams${v}`),
  })
  tell('createOwnerKey', 'POST /accounts/:billingId/keys', 'accounts', {
    says: 'Creates another API key with the role owner for an account',
    ...answer(201, 'The key, which is shown only in this response', 'NewOwnerKey'),
  })
  tell('listApiKeys', 'GET /api-keys', 'accounts', {
    says: 'The API keys of the account, without the keys themselves',
    ...all('The keys', 'ApiKey'),
  })
  tell('createApiKey', 'POST /api-keys', 'accounts', {
    says: 'Creates an API key with a name and a role',
    ...body('ApiKeyRequest'),
    ...answer(201, 'The key, which is shown only in this response', 'NewApiKey'),
  })
  tell('deleteApiKey', 'DELETE /api-keys/:keyId', 'accounts', {
    says: 'Deletes an API key. It becomes invalid within a second, and its WebSockets are closed',
    ...answer(200, 'What was deleted', 'DeletedApiKeys'),
  })
}

function tellPurposes(tell: Tell): void {
  tell('listPurposes', 'GET /account/purposes', 'accounts', {
    says: 'The purposes of the account, which are names of consent levels',
    ...all('The purposes', 'Purpose'),
  })
  tell('setPurposes', 'PUT /account/purposes', 'accounts', {
    says: 'Replaces the list of purposes. Purposes are only shown: events and outputs use levels',
    ...body('PurposesRequest'),
    ...all('The purposes', 'Purpose'),
  })
}
