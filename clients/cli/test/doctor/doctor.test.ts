// What `weir doctor` says without any service. With running services: against-services/doctor.ts.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { renderFindings } from '../../src/doctor/findings.ts'
import { checkProfile } from '../../src/doctor/local.ts'
import { clockFinding } from '../../src/doctor/services.ts'
import { temporaryFolder } from '../support/temporary.ts'

const at = (text: string): number => Date.parse(text)
const asked = { fromMs: at('2026-11-22T10:00:00Z'), toMs: at('2026-11-22T10:00:01Z') }

test.each([
  ['Sun, 22 Nov 2026 10:00:00 GMT', 'ok', 'agrees'],
  ['Sun, 22 Nov 2026 09:59:56 GMT', 'ok', 'agrees'],
  ['Sun, 22 Nov 2026 09:59:49 GMT', 'warning', 'is 10 s behind this machine'],
  ['Sun, 22 Nov 2026 10:00:21 GMT', 'warning', 'is 20 s ahead of this machine'],
  ['Sun, 22 Nov 2026 11:00:01 GMT', 'problem', 'is 3600 s ahead of this machine'],
])('a service whose clock says %s: %s', (date, state, message) => {
  expect(clockFinding('auth', date, asked)).toEqual([
    expect.objectContaining({ state, message: expect.stringContaining(message) }),
  ])
})

test('a service that tells no time has no clock to speak of', () => {
  expect(clockFinding('auth', undefined, asked)).toEqual([])
})

test('a profile that others can read is a warning, with the command that mends it', () => {
  const path = join(temporaryFolder(), 'config.json')
  expect(checkProfile(path).state).toBe('ok')
  writeFileSync(path, '{}', { mode: 0o600 })
  expect(checkProfile(path).state).toBe('ok')
  chmodSync(path, 0o644)
  expect(renderFindings([checkProfile(path)])).toBe(
    `warning  profile  ${path} contains secrets, but other users can read it\n` +
      `                  chmod 600 ${path}`,
  )
})
