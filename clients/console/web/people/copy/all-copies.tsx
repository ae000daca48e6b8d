// Downloads the events of a person as one file for the person, and where they are stored as one file for the
// organization.
import { useState } from 'preact/hooks'
import { Refused, sentencesOf } from '../../api/calls.ts'
import type { Calls } from '../../api/calls.ts'
import { eventsOf, isErasable } from '../../api/people.ts'
import type { Search } from '../../api/people.ts'
import type { Naming } from '../../api/held.ts'
import { outputsIn } from '../../api/resources.ts'
import { whenFree } from '../../api/when-free.ts'
import { useLevelWords } from '../../purposes/use-purposes.ts'
import { Problems } from '../../ui/problems.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useDoing } from '../../ui/use-doing.ts'
import { bytes, many } from '../../ui/words.ts'
import type { Fields } from '../searched-fields.tsx'
import { copyFile, copyName } from './copy-file.ts'
import { placesFile } from './places-file.ts'

type Props = {
  readonly calls: Calls
  readonly search: Search
  readonly fields: Fields
  readonly person: string
  readonly naming: Naming
}

/** A part of the file's name. */
const named = {
  anybody: 'all',
  'not others': 'without-others',
  'the person': 'only-this-value',
} as const satisfies Record<Naming, string>

/** The browser keeps all copies in memory. */
const bytesMax = 200_000_000

export function AllCopies({ calls, search, fields, person, naming }: Props) {
  const [said, setSaid] = useState('')
  const streams = search.streams.filter(isErasable).map(({ stream }) => stream)
  const downloading = useDoing(async () => {
    const events = await eventsIn({ calls, streams, searchId: search.id, naming }, setSaid)
    const copy = { ...search, person, naming, createdAt: new Date().toISOString(), events }
    const zip = new Blob([copyFile(copy)], { type: 'application/zip' })
    saveFile(zip, copyName(person, named[naming], 'zip'))
    setSaid(`Saved the events of ${many(streams.length, 'stream')}.`)
  })
  return (
    <div>
      <div class="bar">
        <button type="button" onClick={downloading.run} disabled={downloading.isDoing}>
          Download all{streams.length === 1 ? '' : ` (${many(streams.length, 'stream')})`}
        </button>
        <PlacesButton {...{ calls, search, fields, person }} />
        <span role="status">{said}</span>
      </div>
      <Problems of={downloading.error} />
    </div>
  )
}

function PlacesButton({ calls, search, fields, person }: Omit<Props, 'naming'>) {
  const words = useLevelWords()
  const contracts = fields.value?.contracts
  const saving = useDoing(async () => {
    if (contracts === undefined) return
    const outputs = new Map<string, Awaited<ReturnType<typeof outputsIn>>>()
    for (const { stream, held } of search.streams)
      if (held.some(({ kind }) => kind === 'output'))
        outputs.set(stream, await whenFree(() => outputsIn(calls, stream)))
    const csv = placesFile({ streams: search.streams, outputs }, { contracts, words })
    saveFile(new Blob([csv], { type: 'text/csv' }), copyName(person, 'where', 'csv'))
  })
  return (
    <>
      <button
        type="button"
        onClick={saving.run}
        disabled={saving.isDoing || contracts === undefined}
      >
        Download where it is stored (CSV)
      </button>
      <Problems of={saving.error} />
    </>
  )
}

type Wanted = {
  readonly calls: Calls
  readonly streams: readonly string[]
  readonly searchId: string
  readonly naming: Naming
}

/**
 * Downloads one stream after another, because an account may make one download at a time. Throws if any download fails.
 */
async function eventsIn(
  { calls, streams, searchId, naming }: Wanted,
  onSaid: (said: string) => void,
) {
  const events = new Map<string, Uint8Array>()
  let left = bytesMax
  for (const [at, stream] of streams.entries()) {
    onSaid(`${at} of ${many(streams.length, 'stream')} …`)
    const what = { stream, searchId, format: 'csv', naming } as const
    try {
      const csv = await whenFree(() => eventsOf(calls, what, left))
      left -= csv.size
      events.set(stream, new Uint8Array(await csv.arrayBuffer()))
    } catch (error) {
      onSaid('')
      throw refusedFor(stream, error)
    }
  }
  return events
}

function refusedFor(stream: string, error: unknown): Refused {
  const { status = 0, help } = error instanceof Refused ? error : {}
  const because =
    status === 413
      ? `the files together are larger than ${bytes(bytesMax)}. Download each stream below`
      : sentencesOf(error).join('; ')
  return new Refused(status, [`No file was saved. The download of ${stream} failed: ${because}.`], {
    help,
  })
}
