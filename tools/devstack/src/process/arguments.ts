// The arguments of the developers' commands. Wrong arguments print one sentence and the usage, not a stack.
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'

/** Like Node's `parseArgs`, except that the process exits with 2 if the arguments are wrong. */
export function argumentsOrExit<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    return exitWithUsage(usage, error instanceof Error ? error.message : String(error))
  }
}

/** Exits with 2. */
export function exitWithUsage(usage: string, reason?: string): never {
  process.stderr.write(`${reason === undefined ? '' : `${reason}\n`}usage: ${usage}\n`)
  process.exit(2)
}
