// The operations on outputs, and on the credentials of input streams and outputs.
import { answer, body, list } from '../tell.ts'
import type { Tell } from '../tell.ts'

export function tellOutputs(tell: Tell, v: 'V1' | 'V2'): void {
  const output = `OutputStream${v}` as const
  const outputs = '/streams/:stream/outputs'
  tell('listOutputs', `GET ${outputs}`, 'outputs', {
    says: 'The outputs of an input stream',
    ...list('The outputs', output),
  })
  tell('createOutput', `POST ${outputs}`, 'outputs', {
    says: 'Creates an output. If an owner creates it, it gets its first credentials. Setting `retentionHours` needs the role owner',
    ...body('OutputRequest'),
    ...answer(201, 'The output. Its secret is shown only in this response', `New${output}`),
  })
  tell('showOutput', `GET ${outputs}/:output`, 'outputs', {
    says: 'One output',
    ...answer(200, 'The output', output),
  })
  tell('changeOutput', `PATCH ${outputs}/:output`, 'outputs', {
    says: 'Enables or disables an output, or changes how long its topics keep records. Changing `retentionHours` needs the role owner',
    ...body('OutputChange'),
    ...answer(200, 'The output as it is now', output),
  })
  tell('rebuildOutput', `POST ${outputs}/:output/rebuild`, 'outputs', {
    says: 'Deletes the events of an output, and derives them again from the input stream',
    ...body('RebuildRequest', true),
    ...answer(
      202,
      'The output. `rebuild` contains `doneAt` when the old events are deleted',
      output,
    ),
  })
  tell('deleteOutput', `DELETE ${outputs}/:output`, 'outputs', {
    says: 'Deletes an output with its events',
    ...answer(200, 'What was deleted', `DeletedOutputs${v}`),
  })
}

export function tellCredentials(tell: Tell): void {
  for (const [of, path, request] of [
    ['Stream', '/streams/:stream', 'CredentialsRequest'],
    ['Output', '/streams/:stream/outputs/:output', 'OutputCredentialsRequest'],
  ] as const) {
    tell(`create${of}Credentials`, `POST ${path}/credentials`, 'credentials', {
      says: 'Creates more credentials. The old credentials stay valid',
      ...body(request, true),
      ...answer(
        201,
        'The credentials. The secret is shown only in this response',
        'NewCredentials',
      ),
    })
    tell(`delete${of}Credentials`, `DELETE ${path}/credentials/:clientId`, 'credentials', {
      says: 'Revokes credentials. Their tokens become invalid within a second',
      ...answer(200, 'What was revoked', 'DeletedCredentials'),
    })
  }
}
