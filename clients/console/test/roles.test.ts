// What a key may do in the console, according to docs/api-keys.md.
import { expect, test } from '@jest/globals'
import { mayDo, roles } from '../web/roles.ts'

test.each([
  ['owner', ['owner', 'developer', 'officer', 'viewer']],
  ['developer', ['developer', 'viewer']],
  ['officer', ['officer', 'viewer']],
  ['viewer', ['viewer']],
] as const)('%s may do what %j may', (role, may) => {
  expect(roles.filter((needed) => mayDo(role, needed))).toEqual(may)
})
