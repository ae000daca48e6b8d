import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { createProgram, run } from '../src/program.ts'
import type { Terminal } from '../src/terminal/terminal.ts'
import { closedPort } from './support/closed-port.ts'
import { quietTerminal } from './support/quiet-terminal.ts'
import { temporaryFolder } from './support/temporary.ts'

/** Creates a terminal with an empty home and folder, and records its output. */
function recorder(env: Record<string, string> = {}, typed = '') {
  const out: string[] = []
  const notes: string[] = []
  const cwd = temporaryFolder()
  const terminal: Terminal = {
    ...quietTerminal,
    env: { WEIR_CONFIG: join(cwd, 'config.json'), ...env },
    cwd,
    input: Readable.from([Buffer.from(typed)]),
    print: (text) => out.push(text) > 0,
    note: (text) => void notes.push(text),
  }
  return { terminal, out, notes }
}

const words = (line: string): string[] => line.split(' ').filter((word) => word !== '')

describe('the exit code', () => {
  test.each([
    ['', 2],
    ['stream', 2],
    ['strem list', 2],
    ['stream create', 2],
    ['stream create a b', 2],
    ['stream create a --partitions 0', 2],
    ['stream list --nonsense', 2],
    ['-o xml stream list', 2],
    ['output create a b', 2],
    ['output create a b --level 256', 2],
    ['output create a b --level 1 --type BOTH', 2],
    ['output create a b --level 1 --from yesterday', 2],
    ['send a', 2],
    ['listen a --timeout never', 2],
    ['stream show ..', 2],
    ['-o csv stream list', 2],
    ['audit -o csv', 2],
    ['audit --output xml', 2],
    ['audit verify -o csv', 2],
    ['usage a --by 5m', 2],
    ['login', 2],
    ['login --help', 2],
    ['stream list -o parquet', 2],
    ['send a --schema x -o csv', 2],
    ['export a file.txt', 2],
    ['export a file.csv --brokers kafka', 2],
    ['kafka a --brokers http://kafka:9094', 2],
    ['kafka a --brokers a:1,kafka:9094', 1],
    ['export a file.ndjson', 1],
    ['subject export a b -o file.ndjson', 1],
    ['subject erase a b --due tomorrow', 2],
    ['subject erase a b --due 2026-02-30', 2],
    ['subject export a b -o person.pdf', 2],
    ['--version', 0],
    ['version', 0],
    ['-v', 0],
    ['output create a b --level 1,2', 2],
    ['--help', 0],
    ['stream create --help', 0],
    ['account list', 0],
    ['account use nobody', 1],
  ])('of `weir %s` is %d', async (line, code) => {
    const { terminal } = recorder({ WEIR_API_KEY: 'k' })
    expect(await run(terminal, words(line))).toBe(code)
  })

  test('is 1 when nothing answers, and the key is told nobody', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const { terminal, notes, out } = recorder({ WEIR_API_KEY: 'the-key', WEIR_AUTH_URL: url })
    expect(await run(terminal, ['stream', 'list', '-o', 'json'])).toBe(1)
    expect(notes.join()).toContain(`nothing listens at ${url}`)
    expect(notes.join()).not.toContain('the-key')
    expect(notes.join()).not.toContain('More:')
    expect(out).toEqual([])
  })

  test('is 1 without an account, and says how to get one', async () => {
    const { terminal, notes } = recorder()
    expect(await run(terminal, ['listen', 'clicks'])).toBe(1)
    expect(notes.join()).toContain('weir account login')
  })
})

describe('the command line', () => {
  test('`-o json` may stand anywhere, and prints JSON alone', async () => {
    for (const line of [
      '-o json account list',
      'account -o json list',
      'account list --output json',
    ]) {
      const { terminal, out, notes } = recorder()
      expect(await run(terminal, words(line))).toBe(0)
      expect([out, notes]).toEqual([['[]'], []])
    }
  })

  test('every command has a description, and every one that does something an example', () => {
    const texts = commandsOf(createProgram(recorder().terminal)).map((command) => {
      let text = ''
      command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp()
      return { command, text }
    })
    expect(texts.length).toBeGreaterThan(25)
    for (const { command } of texts) {
      expect([command.name(), command.description()]).not.toContain('')
    }
    for (const { text } of texts.filter(({ command }) => command.commands.length === 0)) {
      expect(text).toMatch(/Examples:\n {2}# .+\n {2}\$ .*weir /)
    }
  })

  test('help tells values as they are typed, with their unit, and only formats that work', () => {
    expect(helpOf('simulate')).toContain('(default: 0,1/0,1,2)')
    expect(helpOf('simulate')).toMatch(
      /--duration <time> .*a\s+number\s+alone\s+is\s+in\s+seconds\s+\(default:\s+10s\)/s,
    )
    expect(helpOf('export')).toMatch(/choices: "parquet",\s+"jsonl", "csv"/)
    expect(helpOf('usage')).toMatch(/choices:\s+"table",\s+"json",\s+"csv"/)
    expect(helpOf('send')).toMatch(/choices:\s+"table",\s+"json"\)/)
  })

  test.each([
    ['login --help', 'Did you mean `weir account login`?'],
    ['key create x', 'Did you mean `weir api-key` or `weir account key`?'],
    ['strem list', 'Did you mean `weir stream`?'],
    ['create --help', 'Did you mean `weir account create` or'],
    ['qqqqqq', '`weir --help` shows the commands.'],
  ])('`weir %s` says that there is no such command, and which is meant', async (line, advice) => {
    const { terminal, notes, out } = recorder()
    expect(await run(terminal, words(line))).toBe(2)
    expect(notes.join()).toContain(`there is no command ${words(line)[0]}`)
    expect(notes.join()).toContain(advice)
    expect(out).toEqual([])
  })

  test('`weir help` takes all words of a command', async () => {
    const { terminal, out } = recorder()
    expect(await run(terminal, ['help', 'stream', 'create'])).toBe(0)
    expect(out.join()).toContain('Usage: weir stream create ')
    expect(await run(terminal, ['help', 'stream', 'qqq'])).toBe(2)
  })

  test('`weir help` of a mistyped command says which is meant', async () => {
    const { terminal, notes, out } = recorder()
    expect(await run(terminal, ['help', 'outpt'])).toBe(2)
    expect(notes.join()).toContain('there is no command outpt')
    expect(notes.join()).toContain('Did you mean `weir output`?')
    expect(out).toEqual([])
  })

  test.each([
    ['contract create event.json', 'Give a file with -f: weir contract create -f FILE'],
    [
      'subject export clicks a b.csv',
      'Name the file to write with -o: weir subject export NAME VALUE -o FILE',
    ],
    ['send clicks event.json --schema x', 'Give a file with -f: weir send NAME -f FILE'],
    ['output show clicks-1', 'Usage: weir output show INPUT NAME'],
    ['output dead list clicks-1', 'Usage: weir output dead list INPUT NAME'],
    ['export clicks-1', 'Usage: weir export NAME FILE'],
    [
      'output show clicks-1',
      'INPUT is the input stream of the output: `weir stream list` shows them.',
    ],
    ['send clicks --schem x', 'There is no option --schem; did you mean --schema?'],
    ['send clicks --schem=x', 'There is no option --schem; did you mean --schema?'],
    ['send clicks --qqqqqq --demo', 'There is no option --qqqqqq'],
    ['stream update clicks --event-rate 5', 'Did you mean --rate?'],
    ['output update clicks clicks-1 --level 2', 'The levels of an output are fixed.'],
    [
      'output archive clicks clicks-1',
      '`weir output disable` pauses an output; `weir output delete` deletes it with its events.',
    ],
    ['output dead clicks clicks-1', 'Its commands: list, retry'],
    [
      'credentials list clicks',
      '`weir stream show NAME` and `weir output show INPUT NAME` list the credentials.',
    ],
    ['api-key create ci --expires 3d', 'Did you mean --expires-in-days?'],
    ['erasure show clicks 1b9d6bcd', 'Usage: weir erasure show ID'],
    [
      'listen clicks --from -1h',
      '`weir listen` prints new events. For stored events use `weir export`.',
    ],
  ])('`weir %s` is answered with what the command takes', async (line, hint) => {
    const { terminal, notes } = recorder()
    expect(await run(terminal, words(line))).toBe(2)
    expect(notes).toContain(`  ${hint}`)
  })

  test('several levels in one option are answered with what to write', async () => {
    const { terminal, notes } = recorder()
    expect(await run(terminal, words('output create a b --level 1,2'))).toBe(2)
    expect(notes.join()).toContain('Give each level with its own option: --level 1 --level 2')
  })

  test('a time in words is answered with what to write', async () => {
    const { terminal, notes } = recorder()
    expect(await run(terminal, words('usage clicks --from yesterday'))).toBe(2)
    expect(notes.join()).toContain('2026-11-21T10:00:00Z, now or -6h.')
  })

  test('no secret can be given as an argument', () => {
    const flags = commandsOf(createProgram(recorder().terminal)).flatMap((command) =>
      command.options.map((option) => option.long ?? ''),
    )
    expect(flags.filter((flag) => /key$|secret|token|password/.test(flag))).toEqual([])
  })

  test('a missing key is asked for in words when the input is empty', async () => {
    const { terminal, notes } = recorder({}, '\n')
    expect(await run(terminal, ['account', 'create', 'acme'])).toBe(2)
    expect(notes.join()).toContain('WEIR_PLATFORM_KEY')
  })
})

function helpOf(name: string): string {
  let text = ''
  const program = createProgram(recorder().terminal)
  const command = program.commands.find((one) => one.name() === name)
  command?.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp()
  return text
}

const commandsOf = (command: Command): readonly Command[] =>
  command.commands.flatMap((below) => [below, ...commandsOf(below)])
