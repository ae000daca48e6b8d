// Finds the position in an incomplete command line: which command, and whether a command, an option, an option's value
// or an argument comes next. Reads commander's tree of commands. Pure.
import type { Command, Option } from 'commander'

export type CompletionPlace = {
  /** The typed part of the word. */
  readonly typed: string
  /** The command, such as `output show`. */
  readonly path: string
  /** The arguments before this word. */
  readonly given: readonly string[]
  /** Words that are known without a request: commands, options and choices. */
  readonly words: readonly string[]
  /** The name of the argument, or of the option's value, at this position: `name`, `schema`. */
  readonly expects: string | undefined
}

/** `words` are the words after `weir`. The last one is incomplete and may be empty. */
export function completionPlaceOf(program: Command, words: readonly string[]): CompletionPlace {
  const typed = words.at(-1) ?? ''
  let command = program
  const chain = [program]
  const given: string[] = []
  let waiting: Option | undefined
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      waiting = undefined
      continue
    }
    if (word.startsWith('-')) {
      waiting = takesValue(findOption(chain, word), word)
      continue
    }
    const below =
      given.length === 0 ? command.commands.find((one) => one.name() === word) : undefined
    if (below === undefined) given.push(word)
    else {
      command = below
      chain.push(below)
    }
  }
  const path = chain
    .slice(1)
    .map((one) => one.name())
    .join(' ')
  return { typed, path, given, ...nextIn(command, { chain, given, typed, waiting }) }
}

type Here = {
  readonly chain: readonly Command[]
  readonly given: readonly string[]
  readonly typed: string
  readonly waiting: Option | undefined
}

function nextIn(
  command: Command,
  { chain, given, typed, waiting }: Here,
): Pick<CompletionPlace, 'words' | 'expects'> {
  if (waiting !== undefined)
    return { words: waiting.argChoices ?? [], expects: waiting.attributeName() }
  if (typed.startsWith('-')) return { words: optionsOf(chain), expects: undefined }
  if (command.commands.length > 0) return { words: namesOf(command), expects: undefined }
  const { registeredArguments } = command
  const argument = registeredArguments[given.length]
  return { words: argument?.argChoices ?? [], expects: argument?.name() }
}

const hidden = 'complete'

const namesOf = (command: Command): readonly string[] =>
  command.commands.map((below) => below.name()).filter((name) => name !== hidden)

const optionsOf = (chain: readonly Command[]): readonly string[] => [
  ...chain.flatMap(({ options }) => options.map((option) => option.long ?? option.short ?? '')),
  '--help',
]

const findOption = (chain: readonly Command[], word: string): Option | undefined =>
  chain
    .toReversed()
    .flatMap(({ options }) => options)
    .find(({ long, short }) => word === long || word === short)

/** Returns the option if the next word is its value. `--level=1` already contains the value. */
const takesValue = (option: Option | undefined, word: string): Option | undefined =>
  option && (option.required || option.optional) && !word.includes('=') ? option : undefined
