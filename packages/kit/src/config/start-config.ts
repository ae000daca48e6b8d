// Loads a service's configuration at its start. Two command-line options print text instead of starting the service.
// Settings never come from the command line, because every user of the machine can read it.

import type { z } from 'zod'

import { listConfigKeys, loadConfig } from './config.ts'
import type { ConfigKey, Env } from './config.ts'
import { settingFileProblem } from './setting-files.ts'

const MASK = '********'
const FAILED = 1
const MISUSED = 2
const ARGUMENTS: readonly (string | undefined)[] = [undefined, '--help', '--print-config']

/**
 * Returns the configuration, after a check of its files. If it is invalid, prints a sentence for each problem and ends
 * the process. Also ends the process after the output of `--help` or `--print-config`.
 */
export function startConfig<T extends object>(service: string, schema: z.ZodType<T>, env: Env): T {
  const [asked, ...more] = process.argv.slice(2)
  if (more.length > 0 || !ARGUMENTS.includes(asked)) {
    return leave(`${service} takes no such argument; see --help.`, MISUSED)
  }
  if (asked === '--help') return leave(helpText(service, schema), 0)
  const config = loadOrLeave(schema, env)
  return asked === '--print-config' ? leave(printed(schema, config), 0) : config
}

function loadOrLeave<T>(schema: z.ZodType<T>, env: Env): T {
  try {
    return loadConfig(schema, env, settingFileProblem)
  } catch (error) {
    return leave(error instanceof Error ? error.message : String(error), FAILED)
  }
}

function leave(text: string, code: number): never {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exit(code)
}

/** Returns the configuration as lines of an environment file, without secret values or passwords in addresses. */
function printed(schema: z.ZodType, config: object): string {
  const values = new Map<string, unknown>(Object.entries(config))
  return listConfigKeys(schema)
    .map(({ key, isSecret }) => {
      const value = values.get(key)
      if (value === undefined) return `# ${key} is not set`
      return `${key}=${isSecret === true ? MASK : withoutLogin(configText(value))}`
    })
    .join('\n')
}

/** Returns a value as the text of an environment variable. */
export function configText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// Greedy, because a password may contain an @.
function withoutLogin(value: string): string {
  return value.replace(/^(https?:\/\/)[^/?#]*@/i, `$1${MASK}@`)
}

function helpText(service: string, schema: z.ZodType): string {
  return [
    `Weir's ${service}. It reads these environment variables at its start:`,
    '',
    ...listConfigKeys(schema).flatMap(helpLines),
    '',
    '--print-config  prints the effective configuration, without secrets, and exits',
    '--help          prints this text',
  ].join('\n')
}

function helpLines({ key, required, fallback, unit, description }: ConfigKey): string[] {
  const unset = fallback === undefined ? 'not set' : configText(fallback)
  const notes = [required ? 'required' : `default: ${unset}`, ...(unit === undefined ? [] : [unit])]
  return [`${key}  (${notes.join('; ')})`, `    ${description}`]
}
