// `weir keys …`, for Weir's operators, with the platform key: shows which wrapping key and KEK protect what, and
// rotates all wrapping keys. These keys themselves are never shown or sent.
import type { Command } from 'commander'
import { setTimeout as delay } from 'node:timers/promises'
import { call, urlOf } from '../../api/request.ts'
import { isObject, listAt, textAt, valueAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import { createProgressLine } from '../../terminal/progress.ts'
import type { OpenSession, Session } from '../../session.ts'
import { readSecret } from '../../terminal/terminal.ts'

type RotateOptions = { readonly wait: boolean }

const lookEveryMs = 500
const advice = {
  401: 'This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.',
}

export function addKeysCommands(program: Command, open: OpenSession): void {
  const noun = program
    .command('keys')
    .description('the keys at rest: wrapping keys, KEKs, key rotation; needs the platform key')
  withExamples(
    noun
      .command('list')
      .summary('wrapping keys with versions and KEKs, and the number of key records of each')
      .description(
        'wrapping keys with versions and KEKs, and the number of key records of each. Needs the platform key: weir ' +
          'asks for it without showing it, or takes it from the first line of standard input, or from WEIR_PLATFORM_KEY.',
      )
      .action((_options: unknown, command: Command) => list(open(command))),
    ['weir keys list < platform-key.txt', 'also shows which KEKs are no longer used'],
  )
  withExamples(
    noun
      .command('rotate')
      .summary('create new wrapping keys under the newest KEKs, and wrap every key record again')
      .description(
        'create new wrapping keys under the newest KEKs, and wrap every key record again. The rotation continues in the background, also when this ' +
          'command ends or auth restarts. Run the command again to see the progress.',
      )
      .option('--no-wait', 'only start the rotation')
      .action((options: RotateOptions, command: Command) => rotate(open(command), options)),
    ['weir keys rotate < platform-key.txt', 'shows the progress until it is done'],
    ['weir keys rotate --no-wait -o json < platform-key.txt', 'for a nightly job'],
  )
}

type Ask = (method: 'GET' | 'POST', path: readonly string[]) => Promise<unknown>

async function asPlatform(session: Session): Promise<Ask> {
  const { authUrl } = session.account(true)
  const bearer = await readSecret(session.terminal, 'platform key', 'WEIR_PLATFORM_KEY')
  return (method, path) =>
    call({ method, url: urlOf(authUrl, ['v2', 'keys', ...path]), bearer }, advice)
}

async function list(session: Session): Promise<void> {
  const ask = await asPlatform(session)
  showKeys(session, await ask('GET', []))
}

function showKeys(session: Session, answer: unknown): void {
  session.showList({
    answer,
    items: listAt(answer, 'rings'),
    columns: {
      'WRAPPING KEY': (ring) => valueAt(ring, 'ring'),
      VERSION: (ring) => valueAt(ring, 'version'),
      KEK: (ring) => valueAt(ring, 'kek'),
      'KEY RECORDS': (ring) => valueAt(ring, 'parts'),
      CURRENT: (ring) => valueAt(ring, 'isNewest'),
    },
    whenEmpty: 'No wrapping keys yet.',
  })
  for (const line of whatIsUp(answer)) session.tell(line)
}

function whatIsUp(answer: unknown): string[] {
  const rotation = valueAt(answer, 'rotation')
  const unused = listAt(answer, 'unusedKeks').map(
    (each) =>
      `${textAt(each, 'kek')} has wrapped nothing since ${textAt(each, 'since')}. You can destroy it. Then nobody can decrypt the keys in ` +
      'old logs and backups of weir.keys.',
  )
  if (!isObject(rotation) || isFinished(rotation)) return unused
  return [`A key rotation is in progress: ${progressOf(rotation)}.`, ...unused]
}

async function rotate(session: Session, { wait }: RotateOptions): Promise<void> {
  const ask = await asPlatform(session)
  const begun = await ask('POST', ['rotations'])
  if (!wait) {
    session.showRecord(begun)
    return session.tell('`weir keys list` shows the progress.')
  }
  const id = textAt(begun, 'id')
  const progress = createProgressLine(session.terminal, 'wrapping key records again')
  let told = ''
  try {
    for (;;) {
      const answer = await ask('GET', [])
      const rotation = valueAt(answer, 'rotation')
      // A later rotation also means that this rotation is finished.
      if (textAt(rotation, 'id') !== id || isFinished(rotation)) {
        progress.end()
        return showKeys(session, answer)
      }
      const { parts, done } = partsOf(rotation)
      progress.show(done, parts)
      const now = progressOf(rotation)
      if (session.terminal.screen === undefined && now !== told) session.tell(now)
      told = now
      await delay(lookEveryMs)
    }
  } finally {
    progress.end()
  }
}

const isFinished = (rotation: unknown): boolean => textAt(rotation, 'finishedAt') !== undefined

function partsOf(rotation: unknown): { parts: number; done: number } {
  const parts = Number(valueAt(rotation, 'parts'))
  return { parts, done: parts - Number(valueAt(rotation, 'partsLeft')) }
}

function progressOf(rotation: unknown): string {
  const { parts, done } = partsOf(rotation)
  return `${done} of ${parts} key records wrapped again`
}
