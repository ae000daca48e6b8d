// What a command takes, after commander's error about a missing or a superfluous argument.
import type { Command } from 'commander'

export function withUsageHint(command: Command): void {
  const { outputError } = command.configureOutput()
  command.configureOutput({
    outputError: (text, write) => {
      outputError?.(text, write)
      for (const line of hintsOn(command, text)) write(`  ${line}\n`)
    },
  })
}

function hintsOn(command: Command, error: string): readonly string[] {
  const takesFile = command.options.some(({ long }) => long === '--file')
  if (error.includes('too many arguments') && takesFile)
    return [`Give a file with -f: ${lineOf(command)} -f FILE`]
  return error.includes('missing required argument') ? [`Usage: ${lineOf(command)}`] : []
}

/** `weir output show INPUT NAME` */
function lineOf(command: Command): string {
  const names: string[] = []
  for (let each: Command | null = command; each !== null; each = each.parent)
    names.unshift(each.name())
  const required = command.registeredArguments.filter((argument) => argument.required)
  return [...names, ...required.map((argument) => argument.name().toUpperCase())].join(' ')
}
