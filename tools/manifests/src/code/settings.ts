// Gets the environment variables that a service reads from the service's own config.ts, in a separate process, so that
// this file imports no service.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { at, objectsOf, manifestTextAt } from '../json.ts'
import { REPOSITORY } from '@weir/devstack'
import type { ServiceName } from '@weir/devstack'
import { compiledBefore } from '@weir/testkit'

export const SERVICES: readonly ServiceName[] = ['auth', 'ingest', 'output']

export type Setting = { key: string; required: boolean; fallback?: string }

const run = promisify(execFile)

const known = new Map<ServiceName, Promise<Setting[]>>()

export function settingsOf(service: ServiceName): Promise<Setting[]> {
  const settings = known.get(service) ?? askForSettings(service)
  known.set(service, settings)
  return settings
}

async function askForSettings(service: ServiceName): Promise<Setting[]> {
  const script = `
    import { listConfigKeys } from '@weir/kit'
    import { configSchema } from './src/config.ts'
    process.stdout.write(JSON.stringify(listConfigKeys(configSchema)))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(REPOSITORY, 'services', service),
    env: { ...compiledBefore(), NODE_OPTIONS: '' },
  })
  return objectsOf(JSON.parse(stdout)).map((entry) => ({
    key: manifestTextAt(entry, 'key'),
    required: at(entry, 'required') === true,
    ...(at(entry, 'fallback') === undefined ? {} : { fallback: manifestTextAt(entry, 'fallback') }),
  }))
}

/** Returns the error of config.ts for each environment; an empty text if the environment is valid. */
export async function configComplaints(
  service: ServiceName,
  environments: readonly Readonly<Record<string, string>>[],
): Promise<string[]> {
  const script = `
    import { json } from 'node:stream/consumers'
    import { readConfig } from './src/config.ts'
    const complaintOf = (env) => {
      try { readConfig(env) } catch (error) { return error.message }
      return ''
    }
    process.stdout.write(JSON.stringify((await json(process.stdin)).map(complaintOf)))`
  const running = run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(REPOSITORY, 'services', service),
    env: { ...compiledBefore(), NODE_OPTIONS: '' },
  })
  running.child.stdin?.end(JSON.stringify(environments))
  const complaints: unknown = JSON.parse((await running).stdout)
  return Array.isArray(complaints) ? complaints.map(String) : []
}

/** Returns a service's default port for its API (`api`), or for metrics and health (`admin`). */
export async function portOf(service: ServiceName, which: 'api' | 'admin'): Promise<number> {
  const key = `${service.toUpperCase()}_${which === 'admin' ? 'ADMIN_' : ''}PORT`
  const setting = (await settingsOf(service)).find((each) => each.key === key)
  return Number(setting?.fallback)
}
