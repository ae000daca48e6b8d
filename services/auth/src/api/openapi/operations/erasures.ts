// The operations on erasures and receipts, and those about a person.
import { answer, body, list } from '../tell.ts'
import type { Tell } from '../tell.ts'

export function tellErasures(tell: Tell): void {
  const erasures = '/streams/:stream/erasures'
  tell('listErasures', `GET ${erasures}`, 'erasures', {
    says: 'The erasures of a stream, newest first',
    ...list('The erasures', 'Erasure'),
  })
  tell('createErasure', `POST ${erasures}`, 'erasures', {
    says: 'Erases people, or withdraws their consent for one or more levels. The response lists the outputs that may contain decrypted values, with the time when each is clear',
    ...body('ErasureRequest'),
    ...answer(201, 'The erasure. Its salt is shown only in this response', 'NewErasure'),
  })
  tell('showErasure', `GET ${erasures}/:erasure`, 'erasures', {
    says: 'One erasure, with the times of the states it has reached',
    ...answer(200, 'The erasure', 'Erasure'),
  })
  tell('changeErasure', `PATCH ${erasures}/:erasure`, 'erasures', {
    says: 'Changes the due date of an erasure, or adds one. It may be in the past',
    ...body('ErasureChange'),
    ...answer(200, 'The erasure', 'Erasure'),
  })
  tell('showReceipt', `GET ${erasures}/:erasure/receipt`, 'erasures', {
    says: 'The signed receipt of an erasure that is complete',
    ...answer(200, 'The receipt, a JWS', 'Receipt'),
  })
}

export function tellPeople(tell: Tell): void {
  tell('searchPeople', 'POST /people/search', 'erasures', {
    says: 'Starts a search for a person in the input streams of the account, or in some of them. The audit log records it, without the value',
    ...body('SearchRequest'),
    ...answer(202, 'The id of the search', 'NewSearch'),
  })
  tell('showSearch', 'GET /people/searches/:search', 'erasures', {
    says: 'The progress of a search, and then what it has found. A search is kept for an hour',
    ...answer(200, 'The search', 'Search'),
  })
  tell('askForAccess', 'POST /streams/:stream/subject-access', 'erasures', {
    says: 'A token for the events of one person, to be used once within five minutes: GET the same path of the output service with it. The audit log records it, without the value',
    ...body('SubjectAccessRequest'),
    ...answer(200, 'The token', 'SubjectAccess'),
  })
  tell('lookUpSubject', 'POST /streams/:stream/subjects/lookup', 'erasures', {
    says: 'Counts the pseudonyms under which a data subject has events that can be decrypted',
    ...body('SubjectRequest'),
    ...answer(
      200,
      'The number of pseudonyms for each era, and the contracts that were searched',
      'Subject',
    ),
  })
}
