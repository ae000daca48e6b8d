// The levels that an officer can choose from.
import { expect, test } from '@jest/globals'
import { levelsIn } from '../web/people/levels.ts'

test('every level that an output asks for or a field has is there once, with what it is of', () => {
  const outputs = [
    { name: 'marketing', levels: [2], type: 'CUMULATIVE' },
    { name: 'both', levels: [1, 2], type: 'GRANULAR' },
  ] as const
  const contracts = [
    { levels: new Map([['mail', 1]]) },
    { levels: new Map(Object.entries({ mail: 1, phone: 0 })) },
  ]
  expect(levelsIn(outputs, contracts)).toEqual([
    { level: 0, outputs: [], fields: ['phone'], decryptedIn: ['marketing'] },
    { level: 1, outputs: ['both'], fields: ['mail'], decryptedIn: ['marketing', 'both'] },
    { level: 2, outputs: ['marketing', 'both'], fields: [], decryptedIn: ['marketing', 'both'] },
  ])
  expect(levelsIn([], [])).toEqual([])
})
