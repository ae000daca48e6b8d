// Adds hints to commander's errors about missing and superfluous arguments, and about options.
import type { Command } from 'commander'
import { nearest } from './nearest.ts'

/** `args` is the whole command line. */
export function withUsageHint(command: Command, args: readonly string[]): void {
  const { outputError } = command.configureOutput()
  command.configureOutput({
    outputError: (text, write) => {
      outputError?.(text, write)
      for (const line of hintsOn(command, text, args)) write(`  ${line}\n`)
    },
  })
}

function hintsOn(command: Command, error: string, args: readonly string[]): readonly string[] {
  const takesFile = command.options.some(({ long }) => long === '--file')
  if (error.includes('too many arguments') && takesFile)
    return writesFile(command)
      ? [`Name the file to write with -o: ${lineOf(command)} VALUE -o FILE`]
      : [`Give a file with -f: ${lineOf(command)} -f FILE`]
  if (error.includes('required option')) return misspelt(command, args)
  if (error.includes("unknown option '--from'") && command.name() === 'listen')
    return ['`weir listen` prints new events. For stored events use `weir export`.']
  if (error.includes("unknown option '--level'") && command.name() === 'erase')
    return ['`weir subject withdraw` withdraws levels; an erasure is of all levels.']
  if (error.includes("unknown option '--level'") && command.name() === 'update')
    return [
      'The levels of an output are fixed.',
      '`weir output create INPUT NAME --level L --from earliest` creates another one, also of the stored events.',
    ]
  if (error.includes("unknown command 'archive'") && command.name() === 'output')
    return [
      '`weir output disable` pauses an output; `weir output delete` deletes it with its events.',
    ]
  if (error.includes("unknown command 'list'") && command.name() === 'credentials')
    return ['`weir stream show NAME` and `weir output show INPUT NAME` list the credentials.']
  if (error.includes('unknown command') && !error.includes('Did you mean'))
    return [`Its commands: ${command.commands.map((each) => each.name()).join(', ')}`]
  const [, unknown] = /unknown option '(--[^']+)'/.exec(error) ?? []
  if (unknown !== undefined) return meantByPart(command, unknown)
  if (error.includes('too many arguments')) return [`Usage: ${lineOf(command)}`]
  if (!error.includes('missing required argument')) return []
  const [first] = command.registeredArguments
  const isOutput = first?.name() === 'input' && error.includes("'name'")
  return [
    `Usage: ${lineOf(command)}`,
    ...(isOutput
      ? ['INPUT is the input stream of the output: `weir stream list` shows them.']
      : []),
  ]
}

const writesFile = ({ options }: Command): boolean =>
  options.some(({ flags }) => flags === '-o, --output <file>')

/**
 * Suggests `--rate` for `--event-rate`, and `--expires-in-days` for `--expires`. commander only suggests options of a
 * similar length.
 */
const meantByPart = ({ options }: Command, unknown: string): readonly string[] =>
  options
    .map(({ long = '' }) => long)
    .filter((long) => unknown.endsWith(long.slice(1)) || long.startsWith(`${unknown}-`))
    .map((long) => `Did you mean ${long}?`)

/** Suggests options for misspelt ones. commander first reports a missing option, which often is only misspelt. */
function misspelt(command: Command, args: readonly string[]): readonly string[] {
  const known: string[] = []
  for (let each: Command | null = command; each !== null; each = each.parent)
    known.push(...each.options.flatMap(({ long }) => long ?? []))
  return args
    .filter((arg) => arg.startsWith('--'))
    .map((arg) => arg.replace(/=.*/, ''))
    .filter((arg) => !['--', '--help', ...known].includes(arg))
    .map((arg) => {
      const meant = nearest(arg, known)
      return `There is no option ${arg}${meant === undefined ? '' : `; did you mean ${meant}?`}`
    })
}

/** Returns a line such as `weir output show INPUT NAME`. */
function lineOf(command: Command): string {
  const names: string[] = []
  for (let each: Command | null = command; each !== null; each = each.parent)
    names.unshift(each.name())
  const required = command.registeredArguments.filter((argument) => argument.required)
  return [...names, ...required.map((argument) => argument.name().toUpperCase())].join(' ')
}
