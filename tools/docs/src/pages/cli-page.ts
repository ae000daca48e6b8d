// Generates docs/reference/cli.md, the page about the `weir` command, from the help of each of its commands. `npm run
// docs` writes the file, and a test fails if it differs from the code.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { REPOSITORY } from '@weir/devstack'

export const cliPagePath = 'docs/reference/cli.md'

/** The members of commander's commands that this file uses. */
type Command = {
  name(): string
  readonly commands: readonly Command[]
  configureHelp(how: { helpWidth: number; showGlobalOptions: boolean }): Command
  configureOutput(to: { writeOut: (text: string) => void }): Command
  outputHelp(): void
}

/** A dummy output for the program, because no command runs here. */
const terminal = { print: () => true, note: () => {} }

/** Loads the program by its path, because it isn't a package. */
async function program(): Promise<Command> {
  const path = join(REPOSITORY, 'clients', 'cli', 'src', 'program.ts')
  const module: unknown = await import(pathToFileURL(path).href)
  const hasIt = typeof module === 'object' && module !== null && 'createProgram' in module
  if (!hasIt || typeof module.createProgram !== 'function') throw new Error('there is no program')
  return module.createProgram(terminal)
}

export async function cliPage(): Promise<string> {
  const weir = await program()
  const parts = commandsBelow(weir, 'weir').map(
    ([name, command]) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  )
  return [
    '# The weir command\n',
    'What `--help` says. Options that every command has are under the first one alone.\n',
    `\`\`\`text\n${helpOf(weir)}\n\`\`\`\n`,
    ...parts,
  ].join('\n')
}

const commandsBelow = (command: Command, name: string): [string, Command][] =>
  command.commands.flatMap((below) => {
    const own = `${name} ${below.name()}`
    return below.commands.length > 0 ? commandsBelow(below, own) : [[own, below]]
  })

function helpOf(command: Command): string {
  let text = ''
  command.configureHelp({ helpWidth: 100, showGlobalOptions: false })
  command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp()
  return text.trim().replaceAll(/[ \t]+$/gm, '')
}
