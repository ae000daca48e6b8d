// `weir completion SHELL` prints a script that completes `weir` in a shell; the script calls `weir complete`.
import { Argument } from 'commander'
import type { Command } from 'commander'
import { liveNames } from '../completion/live-names.ts'
import { completionPlaceOf } from '../completion/place.ts'
import { scripts, shells } from '../completion/scripts.ts'
import type { Shell } from '../completion/scripts.ts'
import { withExamples } from '../input/options.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addCompletionCommands(program: Command, terminal: Terminal): void {
  withExamples(
    program
      .command('completion')
      .summary('make your shell complete commands, options and names')
      .description(
        'print a script that makes a shell complete commands, options, and the names of your streams and contracts. ' +
          'weir asks the service for these names, and waits for them at most one second.',
      )
      .addArgument(new Argument('<shell>').choices(shells))
      .action((shell: Shell) => void terminal.print(scripts[shell])),
    [
      'source <(weir completion bash)',
      'for this shell; for all shells, put the line into ~/.bashrc',
    ],
    ['source <(weir completion zsh)', 'in ~/.zshrc, after compinit'],
    ['weir completion fish > ~/.config/fish/completions/weir.fish', 'for fish'],
  )
  withExamples(
    program
      .command('complete', { hidden: true })
      .description('print possible next words, one per line; for the scripts of `weir completion`')
      .argument('[words...]')
      .action((words: readonly string[]) => complete(program, terminal, words)),
    ['weir complete -- stream show cl', 'streams whose names start with cl'],
  )
}

async function complete(
  program: Command,
  terminal: Terminal,
  words: readonly string[],
): Promise<void> {
  const place = completionPlaceOf(program, words)
  const names = await liveNames(terminal, place, words.includes('--demo'))
  const found = [...place.words, ...names].filter((name) => name.startsWith(place.typed))
  if (found.length > 0) terminal.print([...new Set(found)].join('\n'))
}
