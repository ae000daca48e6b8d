// The operations on input streams and their usage.
import { schema } from '@weir/docs'
import { answer, body, list, moment } from '../tell.ts'
import type { Tell } from '../tell.ts'

const { json, oneOf, ref } = schema

export function tellStreams(tell: Tell, v: 'V1' | 'V2'): void {
  const input = `InputStream${v}` as const
  tell('listStreams', 'GET /streams', 'streams', {
    says: 'The input streams of the account',
    ...list('The streams', input),
  })
  tell('createStream', 'POST /streams', 'streams', {
    says: 'Creates an input stream, with its first credentials. Setting `limits`, `retentionHours` or `keyRetentionDays` needs the role owner',
    ...body('StreamRequest'),
    ...answer(201, 'The stream. Its secret is shown only in this response', `New${input}`),
  })
  tell('showStream', 'GET /streams/:stream', 'streams', {
    says: 'One input stream',
    ...answer(200, 'The stream', input),
  })
  tell('changeStream', 'PATCH /streams/:stream', 'streams', {
    says: 'Changes an input stream. What the body does not contain stays as it is. Changing `limits`, `retentionHours` or `keyRetentionDays` needs the role owner',
    ...body('StreamChange'),
    ...answer(200, 'The stream as it is now', input),
  })
  tell('deleteStream', 'DELETE /streams/:stream', 'streams', {
    says: 'Deletes an input stream with its events and keys',
    query: [
      {
        name: 'recursive',
        says: '`true`: also deletes the outputs of the stream',
        schema: oneOf('true', 'false'),
      },
    ],
    ...answer(200, 'What was deleted', `DeletedStreams${v}`),
  })
  tellUsage(tell)
}

function tellUsage(tell: Tell): void {
  tell('showUsage', 'GET /streams/:stream/usage', 'streams', {
    says: 'The usage of a stream, per time interval',
    query: [
      { name: 'by', says: 'the length of an interval', schema: oneOf('1m', '15m', '1h', '1d') },
      moment('from', 'the start of the time range'),
      moment('until', 'the end of the time range; default: now'),
      {
        name: 'format',
        says: 'the format of the response, instead of the header Accept',
        schema: oneOf('json', 'csv'),
      },
    ],
    answers: [
      {
        status: 200,
        says: 'The usage',
        content: { ...json(ref('Usage')), 'text/csv': { type: 'string' } },
      },
    ],
  })
}
