// The `weir` command line: its commands, their help, and the exit code of a run. commands/ contains what each command
// does.
import { Command, CommanderError, Help, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addAccountCommands } from './commands/access/account.ts'
import { addApiKeyCommands } from './commands/access/api-key.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addCompletionCommands } from './commands/completion.ts'
import { addContractCommands } from './commands/contract.ts'
import { addCredentialsCommands } from './commands/access/credentials.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addErasureCommands } from './commands/subject/erasure.ts'
import { addExportCommand } from './commands/events/export.ts'
import { addKafkaCommand } from './commands/access/kafka.ts'
import { addKeysCommands } from './commands/access/keys.ts'
import { addSigningKeysCommands } from './commands/access/signing-keys.ts'
import { addListenCommand } from './commands/events/listen.ts'
import { addOutputCommands } from './commands/output/output.ts'
import { addSendCommand } from './commands/events/send.ts'
import { addSimulateCommand } from './commands/events/simulate.ts'
import { addStreamCommands } from './commands/stream.ts'
import { addPersonCommands } from './commands/person/show.ts'
import { addPurposeCommands } from './commands/purpose.ts'
import { addSubjectCommands } from './commands/subject/subject.ts'
import { addTokenCommand } from './commands/access/token.ts'
import { addUsageCommand } from './commands/usage.ts'
import { nearest } from './input/nearest.ts'
import { CliError, misuse, renderError } from './errors.ts'
import { outputOptionOf, tableOrJson, withExamples, withFormats } from './input/options.ts'
import { withUsageHint } from './input/usage-hints.ts'
import { createSession } from './session.ts'
import type { GlobalOptions, OpenSession } from './session.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Returns the exit code: 0 done, 1 refused or failed, 2 a `usage_error`. Never throws. */
export async function run(terminal: Terminal, args: readonly string[]): Promise<0 | 1 | 2> {
  try {
    const words = ['version', '-v'].includes(args[0] ?? '') ? ['--version'] : args
    const program = createProgram(terminal, words)
    refuseUnknown(program, words)
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    // commander has printed its own errors. Help and version are errors with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    terminal.note(renderError(error))
    return error instanceof CliError ? error.exitCode : 1
  }
}

/** Refuses an unknown command. With `--help`, commander itself would print the program's help. */
function refuseUnknown(program: Command, args: readonly string[]): void {
  const known = program.commands.map((command) => command.name())
  const words = args.filter((each) => !each.startsWith('-'))
  const [word = ''] = words[0] === 'help' ? words.slice(1) : words
  const isFirst = [word, 'help', '--demo'].includes(args[0] ?? '')
  if (word === '' || !isFirst || [...known, 'help'].includes(word)) return
  const alike = known.filter((name) => name.split('-').includes(word))
  const below = program.commands
    .filter(({ commands }) => commands.some((command) => command.name() === word))
    .map((noun) => `${noun.name()} ${word}`)
  const meant = alike.length + below.length > 0 ? [...alike, ...below] : nearest(word, known)
  throw misuse(
    `there is no command ${word}`,
    ...(meant === undefined
      ? []
      : [
          `Did you mean ${[meant]
            .flat()
            .map((line) => `\`weir ${line}\``)
            .join(' or ')}?`,
        ]),
    '`weir --help` shows the commands.',
  )
}

const plainHelp = new Help()

const optionDescription = (option: Option): string =>
  plainHelp.optionDescription(option) + (option.mandatory ? ' (required)' : '')

/** `args` are only used for hints. */
export function createProgram(terminal: Terminal, args: readonly string[] = []): Command {
  const program = new Command('weir')
    .description('Event collection with consent built in: streams, contracts, events.')
    .version(packageJson.version, '-V, --version')
    .addOption(
      new Option('-o, --output <format>').hideHelp(), // each command's help shows its own -o
    )
    .option('--demo', 'use the account of .weir/demo.json, even if you are logged in to another')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .configureOutput({
      writeOut: (text) => void terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(`weir: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('  `--help` shows how to use it.')
    .addHelpText('after', overview)
  const open: OpenSession = (command) => {
    const options = command.optsWithGlobals<GlobalOptions>()
    const { output } = options
    const formats = outputOptionOf(command)?.argChoices
    if (output !== undefined && formats?.includes(output) === false)
      throw misuse(`this command can't print ${output}`, `It can print ${formats.join(', ')}.`)
    return createSession(terminal, { ...options, output: output ?? 'table' })
  }
  addNouns(program, open)
  for (const command of allBelow(program)) {
    const isLeaf = command.commands.length === 0
    if (isLeaf && outputOptionOf(command)?.hidden) withFormats(command, tableOrJson)
    withUsageHint(command, args)
  }
  addCompletionCommands(program, terminal)
  addHelpCommand(program)
  return program
}

/** Replaces commander's `help`, which ignores all words after the first, as in `weir help stream create`. */
function addHelpCommand(program: Command): void {
  program.helpCommand(false)
  withExamples(
    program
      .command('help')
      .description('the help of a command')
      .argument('[command...]', 'its words')
      .action((names: readonly string[]) => {
        let command = program
        for (const name of names) {
          const next = command.commands.find((each) => each.name() === name)
          if (next === undefined)
            throw misuse(
              `there is no command ${names.join(' ')}`,
              '`weir --help` shows the commands.',
            )
          command = next
        }
        command.outputHelp()
      }),
    ['weir help stream create', 'the same as `weir stream create --help`'],
  )
}

const allBelow = ({ commands }: Command): readonly Command[] =>
  commands.flatMap((command) => [command, ...allBelow(command)])

/** Adds the commands in the order of `weir --help`. */
function addNouns(program: Command, open: OpenSession): void {
  addAccountCommands(program, open)
  addContractCommands(program, open)
  addPurposeCommands(program, open)
  addStreamCommands(program, open)
  addOutputCommands(program, open)
  addSendCommand(program, open)
  addSimulateCommand(program, open)
  addListenCommand(program, open)
  addTokenCommand(program, open)
  addKafkaCommand(program, open)
  addExportCommand(program, open)
  addCredentialsCommands(program, open)
  addUsageCommand(program, open)
  addKeysCommands(program, open)
  addSigningKeysCommands(program, open)
  addApiKeyCommands(program, open)
  addAuditCommands(program, open)
  addPersonCommands(program, open)
  addSubjectCommands(program, open)
  addErasureCommands(program, open)
  addDoctorCommand(program, open)
}

const overview = `
Examples:
  # the streams of the account in use
  $ weir stream list
  # create an input stream and an output, and send an event
  $ weir stream create clicks --save
  $ weir output create clicks clicks-marketing --level 2 --save
  $ weir listen clicks-marketing &
  $ weir send clicks --schema clickstream -f event.json

Which account: the one that you logged in to (weir account login, weir account use). It is stored with saved
credentials in ~/.config/weir/config.json. If you are not logged in: the demo account, if .weir/demo.json is
in this folder or a folder above it (npm start writes it). These variables take precedence over both:
  WEIR_AUTH_URL WEIR_INGEST_URL WEIR_OUTPUT_URL   addresses (http://127.0.0.1:8081, :8082, :8083)
  WEIR_ANALYST_BROKERS                            Kafka's listener for analysts (127.0.0.1:9094)
  WEIR_KAFKA_PREFIX                               prefix of the names of topics and groups (none)
  WEIR_BILLING_ID WEIR_API_KEY                    account and key for management
  WEIR_CLIENT_ID WEIR_CLIENT_SECRET               credentials of one stream, for send, listen, export,
                                                  token and kafka
  WEIR_PLATFORM_KEY                               for account create, key and delete, keys, signing-keys,
                                                  audit --all and audit verify
  WEIR_CONFIG                                     a file to use instead of ~/.config/weir/config.json

Exit codes: 0 done, 1 the service refused or something failed, 2 usage error.`
