// `weir person show VALUE`: how many events a person has in each stream, output and dead letter topic, and which fields
// are decrypted there. The value is sent to the service in the body of a request, and never printed.
import type { Command } from 'commander'
import type { Advice } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { collectText, withExamples } from '../../input/options.ts'
import { readValue } from '../../input/values.ts'
import { isObject, listAt, textAt, valueAt } from '../../json.ts'
import type { OpenSession, Session } from '../../session.ts'
import { createProgressLine } from '../../terminal/progress.ts'
import { renderTable } from '../../terminal/table.ts'

type ShowOptions = { readonly stream?: readonly string[]; readonly file?: string }

const advice = {
  404: '`weir stream list` shows the input streams.',
  429: 'Wait until your other searches are done.',
} satisfies Advice

export function addPersonCommands(program: Command, open: OpenSession): void {
  const noun = program.command('person').description('search for a person')
  withExamples(
    noun
      .command('show')
      .summary('what is held of a person, and where')
      .description(
        'the number of events of a person in each input stream, output and dead letter topic, with the fields that are ' +
          'decrypted there. Searches by key field and by data subject field. Nothing is decrypted. The audit log records ' +
          'the request, without the value.',
      )
      .argument('[value]', 'a value of a key field or of a data subject field')
      .option('-f, --file <file>', 'a file with the value; - means standard input')
      .option('--stream <name>', 'only this input stream; may be repeated', collectText)
      .action((value: string | undefined, options: ShowOptions, command: Command) =>
        show(open(command), value, options),
      ),
    ['weir person show customer-00042', 'in all streams of the account'],
    ['weir person show -f - --stream clicks', 'keeps the value out of the history of your shell'],
  )
}

async function show(
  session: Session,
  given: string | undefined,
  { stream: streams, file }: ShowOptions,
): Promise<void> {
  const value = await readValue(session, given, file)
  const json = { value, ...(streams === undefined ? {} : { streams }) }
  const path = ['people', 'search']
  const started = await session.manage({ method: 'POST', path, json, advice })
  const search = await untilDone(session, textAt(started, 'searchId') ?? '')
  session.showRecord(search, renderSearch)
  if (foundIn(search).length === 0) await tellSearched(session)
}

const contractsMax = 20

/** Says which fields were searched, because the person may be stored under another field. */
async function tellSearched(session: Session): Promise<void> {
  const answer = await session.manage({ method: 'GET', path: ['contracts'] })
  const contracts = Array.isArray(answer) ? answer : []
  for (const contract of contracts.slice(0, contractsMax)) {
    const naming = ['key_field', 'data_subject_field'].map((member) => textAt(contract, member))
    const personal = valueAt(contract, 'pii_fields')
    const others = Object.keys(isObject(personal) ? personal : {}).filter(
      (field) => !naming.includes(field),
    )
    const not = others.length === 0 ? '' : `; not ${others.join(', ')}`
    const searched = naming.filter((field) => field !== undefined).join(', ')
    session.tell(`Searched in events of ${textAt(contract, 'id')}: ${searched}${not}.`)
  }
  const more = contracts.length - contractsMax
  if (more > 0) session.tell(`And ${more} more: \`weir contract list\`.`)
}

const everyMs = 300

async function untilDone(session: Session, searchId: string): Promise<unknown> {
  const progress = createProgressLine(session.terminal, 'searching')
  try {
    for (;;) {
      const path = ['people', 'searches', searchId]
      const search = await session.manage({ method: 'GET', path })
      const state = textAt(search, 'state')
      if (state === 'done') return search
      if (state === 'failed') throw failure(textAt(search, 'because') ?? 'the search failed')
      const total = Number(valueAt(search, 'total'))
      progress.show(Number(valueAt(search, 'scanned')), total === 0 ? undefined : total)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  } finally {
    progress.end()
  }
}

function renderSearch(search: unknown): string {
  const streams = listAt(search, 'streams')
  const found = foundIn(search)
  const isInOutputs = streams.some((stream) =>
    listAt(stream, 'held').some((held) => Number(valueAt(held, 'events')) > 0),
  )
  const events =
    found.length === 0
      ? isInOutputs
        ? 'A search by this value finds no event in the streams any more. Their retention has ended, or they were erased. Erased events stay until their retention ends, with a code of their key field, such as a device: a search for that value still finds them. Below are events in outputs that still contain this value in a field that is searched.'
        : 'No event was found. Values are compared exactly: check the spelling, upper and lower case too.'
      : renderTable(['STREAM', 'CONTRACT', 'FIELD', 'EVENTS', 'FIRST', 'LAST'], found)
  return [events, renderHeld(streams), ...streams.flatMap(remarksOn)].join('\n\n')
}

const foundIn = (search: unknown): readonly (readonly unknown[])[] =>
  listAt(search, 'streams').flatMap((stream) =>
    listAt(stream, 'by').map((by) => [
      textAt(stream, 'stream'),
      textAt(by, 'contract'),
      byWay(by),
      valueAt(by, 'events'),
      textAt(by, 'firstAt'),
      textAt(by, 'lastAt'),
    ]),
  )

/** Returns the field, and how its events were found: a search by data subject finds events by their key field. */
const byWay = (by: unknown): string =>
  `${textAt(by, 'field')}${textAt(by, 'as') === 'data_subject_field' ? ', via the key field' : ''}`

const eventsIn = (count: unknown): string => (count === 1 ? '1 event' : `${String(count)} events`)

const kinds: Readonly<Record<string, string>> = {
  input: 'input stream',
  output: 'output',
  dead: 'dead letters',
  deleted: 'deleted output',
}

/** Returns a text such as «email: 0, street: 0», with the contracts if there are several. */
function fieldsInWords(fields: readonly unknown[]): string {
  const contracts = [...new Set(fields.map((field) => textAt(field, 'contract')))]
  const levelsIn = (contract: string | undefined): string =>
    fields
      .filter((field) => textAt(field, 'contract') === contract)
      .map((field) => `${textAt(field, 'field')}: ${String(valueAt(field, 'level'))}`)
      .join(', ')
  return contracts.length === 1
    ? levelsIn(contracts[0])
    : contracts.map((contract) => `${contract} (${levelsIn(contract)})`).join('; ')
}

function renderHeld(streams: readonly unknown[]): string {
  const rows = streams.flatMap((stream) =>
    listAt(stream, 'held').map((held) => [
      textAt(held, 'name'),
      kinds[textAt(held, 'kind') ?? ''],
      valueAt(held, 'events'),
      valueAt(held, 'erased'),
      fieldsInWords(listAt(held, 'fields')),
      [textAt(held, 'until'), textAt(held, 'because')]
        .filter((each) => each !== undefined)
        .join(': '),
    ]),
  )
  return renderTable(
    ['SEARCHED', 'KIND', 'EVENTS', 'ERASED', 'DECRYPTED FIELDS', 'KEPT UNTIL'],
    rows,
  )
}

function remarksOn(stream: unknown): string[] {
  const name = textAt(stream, 'stream') ?? ''
  const withdrawn = listAt(stream, 'withdrawn')
  const consent = listAt(stream, 'consent').map(
    (each) => `level ${String(valueAt(each, 'level'))} (${eventsIn(valueAt(each, 'events'))})`,
  )
  const not = textAt(stream, 'notSearched')
  return [
    ...(valueAt(stream, 'erased') === true
      ? [
          `${name}: the person is erased. Nobody can decrypt the events in the input stream any more.`,
        ]
      : []),
    ...(consent.length > 0
      ? [`${name}: the events were sent with consent to ${consent.join(', ')}.`]
      : []),
    ...(withdrawn.length > 0
      ? [`${name}: consent was withdrawn for level ${withdrawn.join(', ')}.`]
      : []),
    ...(listAt(stream, 'by').some((by) => textAt(by, 'as') === 'data_subject_field')
      ? [
          `${name}: «via the key field» counts all events of the same devices, sessions and the like, also those that name other people. An erasure reaches all of them; \`weir subject export\` shows whom each event names.`,
        ]
      : []),
    ...(valueAt(stream, 'notApplied') === true
      ? [
          `${name}: a request of this stream, perhaps for this person, is not yet applied by all services. Until then these may still decrypt. \`weir erasure list ${name}\` shows it.`,
        ]
      : []),
    ...(not === undefined ? [] : [`${name}: ${not}.`]),
  ]
}
