// `weir output create`: creates an output, with credentials for its readers.
import { Option } from 'commander'
import type { Command } from 'commander'
import {
  collectLevel,
  collectText,
  hoursOrBroker,
  positiveNumber,
  withExamples,
} from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'
import { inputAdvice, nameAdvice, saveNew, tellOnce } from '../../api/streams.ts'
import { waitForBackfill } from './backfill.ts'
import {
  inputArgument,
  outputPathOf,
  requireOneLevelIfCumulative,
  keyMaxAge,
  retention,
} from './parts.ts'
import { misuse } from '../../errors.ts'
import { needsOwner } from '../retention.ts'

type CreateOptions = {
  readonly level: readonly number[]
  readonly type: 'CUMULATIVE' | 'GRANULAR'
  readonly from?: 'earliest' | 'now'
  readonly decrypter?: string
  readonly tag?: readonly string[]
  readonly retentionHours?: number | 'broker'
  readonly decryptAt?: 'output' | 'reader'
  readonly keyMaxAge?: number
  readonly save?: boolean
  readonly wait?: boolean
}

export function addCreateCommand(noun: Command, open: OpenSession): void {
  const command = withOptions(noun.command('create').argument(...inputArgument))
    .summary('create an output; prints it with its credentials')
    .description(
      'create an output; prints it with its credentials.\n' +
        'CUMULATIVE (one level L): events with consent to L; fields of level L and below are decrypted.\n' +
        'GRANULAR (one or more): events with consent to all of them; only fields of these levels are decrypted.',
    )
    .action((input: string, name: string, options: CreateOptions, itself: Command) =>
      create(open(itself), input, name, options),
    )
  withExamples(
    command,
    ['weir output create clicks clicks-marketing --level 2 --save', 'new events, levels 0 to 2'],
    [
      'weir output create clicks ads --level 1 --level 3 --type GRANULAR',
      'exactly these two levels',
    ],
    [
      'weir output create clicks lake --level 2 --decrypt-at reader',
      'its readers decrypt with keys of Weir, so an erasure reaches their copies, too',
    ],
    [
      'weir output create clicks audit --level 0 --from earliest --wait',
      'also the events that are already stored',
    ],
  )
}

function withOptions(command: Command): Command {
  const type = new Option('--type <type>', 'how the levels select events and fields')
  const from = new Option('--from <start>', 'which event to start from')
  const decryptAt = new Option('--decrypt-at <where>', 'who decrypts the fields (default: output)')
  return command
    .argument('<name>', 'the new output')
    .requiredOption('--level <level>', 'a consent level, 0 to 255; may be repeated', collectLevel)
    .addOption(type.choices(['CUMULATIVE', 'GRANULAR']).default('CUMULATIVE'))
    .addOption(from.choices(['earliest', 'now']))
    .option('--decrypter <name>', 'the decrypter that serves the output (default: default)')
    .option('--tag <tag>', 'a tag; may be repeated', collectText)
    .option('--retention-hours <hours>', `${retention} (default: 168)`, hoursOrBroker)
    .addOption(decryptAt.choices(['output', 'reader']))
    .option('--key-max-age <seconds>', `${keyMaxAge} (default: 300)`, positiveNumber)
    .option('--save', 'save the credentials in the profile, for listen and token')
    .option(
      '--wait',
      'wait until the stored events are derived; without this option they are derived in the background',
    )
}

async function create(
  session: Session,
  input: string,
  name: string,
  options: CreateOptions,
): Promise<void> {
  if (options.keyMaxAge !== undefined && options.decryptAt !== 'reader')
    throw misuse('--key-max-age needs --decrypt-at reader')
  const record = await session.manage({
    method: 'POST',
    path: outputPathOf(input),
    json: outputDraft(name, options),
    advice: { ...inputAdvice, ...nameAdvice, ...needsOwner(options) },
  })
  // Shown before saving, because the service sends the secret only once.
  session.showRecord(record)
  await (options.save ? saveNew(session, name, record) : tellOnce(session, name, record))
  if (options.from === undefined)
    session.tell(`${name} starts with new events; --from earliest also derives the stored ones.`)
  if (options.decryptAt === 'reader')
    session.tell(`The readers of ${name} decrypt (decryptAt reader).`)
  if (options.wait) await waitForBackfill(session, input, name)
}

export function outputDraft(name: string, options: CreateOptions): unknown {
  requireOneLevelIfCumulative(options)
  return {
    name,
    consentLevels: options.level,
    consentLevelType: options.type,
    decrypterName: options.decrypter,
    tags: options.tag,
    retentionHours: options.retentionHours,
    from: options.from,
    decryptAt: options.decryptAt,
    keyMaxAgeSeconds: options.keyMaxAge,
  }
}
