// Which environment variables a service reads, asked of its own config.ts in a process of its own: nothing
// here imports a service.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { at, objectsOf, textAt } from '../json.ts'
import { REPOSITORY } from '@weir/devstack'
import type { ServiceName } from '@weir/devstack'

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
    env: { NODE_OPTIONS: '' },
  })
  return objectsOf(JSON.parse(stdout)).map((entry) => ({
    key: textAt(entry, 'key'),
    required: at(entry, 'required') === true,
    ...(at(entry, 'fallback') === undefined ? {} : { fallback: textAt(entry, 'fallback') }),
  }))
}

/** Does config.ts take this environment? Answers what it says when it doesn't. */
export async function configComplaint(
  service: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const script = `
    import { readConfig } from './src/config.ts'
    try { readConfig(process.env) } catch (error) { process.stdout.write(error.message) }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(REPOSITORY, 'services', service),
    env: { ...env, NODE_OPTIONS: '' },
  })
  return stdout
}

/** The port that a service listens on by itself: of its API, or of metrics and health. */
export async function portOf(service: ServiceName, which: 'api' | 'admin'): Promise<number> {
  const key = `${service.toUpperCase()}_${which === 'admin' ? 'ADMIN_' : ''}PORT`
  const setting = (await settingsOf(service)).find((each) => each.key === key)
  return Number(setting?.fallback)
}
