// Local checks: the versions of Node and of the command, the profile's file, the account.
import { statSync } from 'node:fs'
import { versions } from 'node:process'
import packageJson from '../../package.json' with { type: 'json' }
import type { CliAccount } from '../accounts/account.ts'
import { ok, problem, warning } from './findings.ts'
import type { DoctorFinding } from './findings.ts'

export function checkVersions(): readonly DoctorFinding[] {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number)
  const isRecent = major > 24 || (major === 24 && minor >= 12)
  const node = isRecent
    ? ok('node', versions.node)
    : problem('node', `${versions.node} is too old`, 'Use Node 24.12 or newer.')
  return [ok('weir', packageJson.version), node]
}

export function checkProfile(path: string): DoctorFinding {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return ok('profile', `${path} does not exist: nobody has logged in`)
  const others = file.mode & 0o077
  if (others === 0) return ok('profile', path)
  return warning(
    'profile',
    `${path} contains secrets, but other users can read it`,
    `chmod 600 ${path}`,
  )
}

export function checkAccount({ billingId, apiKey, demo }: CliAccount): DoctorFinding {
  if (billingId === undefined && apiKey !== undefined)
    return problem('account', 'auth does not say which account WEIR_API_KEY belongs to')
  if (billingId === undefined)
    return problem(
      'account',
      'no account is selected',
      'Log in with `weir account login`, or set WEIR_API_KEY,',
      'or run weir in the folder of a running demo (`npm start`).',
    )
  const from = demo === undefined ? '' : `, of ${demo.path}`
  if (apiKey !== undefined) return ok('account', `${billingId}${from}`)
  return warning(
    'account',
    `${billingId}, without an API key: you can send to streams and read them, but not manage them`,
    'Log in with `weir account login`, or set WEIR_API_KEY.',
  )
}
