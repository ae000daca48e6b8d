// The copy for a person in one file.
import { expect, test } from '@jest/globals'
import { strToU8, unzipSync } from 'fflate'
import type { Output } from '../web/api/account.ts'
import type { Held } from '../web/api/held.ts'
import { copyFile, copyName } from '../web/people/copy/copy-file.ts'
import type { Copy } from '../web/people/copy/copy-file.ts'
import { levelWordsOf } from '../web/purposes/level-words.ts'

const held = (more: Partial<Held>): Held => ({
  name: 'clicks',
  kind: 'input',
  events: 3,
  erased: 0,
  fields: [],
  until: '2026-12-24T10:00:00.000Z',
  because: '',
  ...more,
})

const found = (stream: string, more: Partial<Copy['streams'][number]> = {}) => ({
  stream,
  by: [{ contract: 'visits' }],
  held: [held({ name: stream })],
  consent: [{ level: 0 }, { level: 2 }],
  isErased: false,
  withdrawn: [],
  notSearched: '',
  ...more,
})

const output: Output = {
  name: 'clicks-2',
  input: 'clicks',
  enabled: true,
  topic: 'clicks-2',
  kept: 'broker',
  levels: [2],
  tags: ['team marketing'],
  type: 'CUMULATIVE',
  rebuild: '',
  keyMaxAgeSeconds: undefined,
}

const copy = (more: Partial<Copy> = {}): Copy => ({
  person: 'C-42',
  isAlone: false,
  startedAt: '2026-11-26T10:00:00.000Z',
  createdAt: '2026-11-26T10:05:00.000Z',
  streams: [found('clicks')],
  events: new Map([['clicks', strToU8('\uFEFFevent,time\r\n1,2')]]),
  outputs: new Map([['clicks', [output]]]),
  ...more,
})

const customer = { contract: 'visits', path: 'customer', level: 0 }
const mail = { contract: 'visits', path: 'mail', level: 2 }
const knowing = {
  contracts: [{ id: 'visits', levels: new Map(Object.entries({ customer: 0, mail: 2 })) }],
  words: levelWordsOf([{ name: 'marketing', title: 'marketing e-mails', level: 2 }]),
}

function filesOf(of: Copy): Record<string, string> {
  const files = Object.entries(unzipSync(copyFile(of, knowing)))
  // With Buffer, because TextDecoder would remove the byte order mark.
  return Object.fromEntries(
    files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]),
  )
}

test('the events of each stream are as they were downloaded, beside the places and an explanation', () => {
  const files = filesOf(copy())
  expect(Object.keys(files)).toEqual(['C-42-clicks.csv', 'where.csv', 'README.txt'])
  expect(files['C-42-clicks.csv']).toBe('\uFEFFevent,time\r\n1,2')
  expect(files['README.txt']).toBe(
    [
      'The files with the name of a stream contain its events of «C-42», and where.csv lists, for your organization, where these events are stored and until when.',
      'In the files of streams, each row is one field of an event. The column purpose has the name of the consent level of a personal field.',
      'The column person says what an event has in the field that names people: searched is this value; other is another value, so the event may be about somebody else; linked is none, so the event only has the same device, session or the like; encrypted is not known.',
      'A row with the field «consent level» has a level that the event was sent with consent to.',
      'In where.csv, consent_levels of the place of a stream are the levels that its events were sent with; those of an output are the levels that an event needs to get there. tags are names that your organization has given to an output, such as the team that reads it.',
      'A place with dead letters has events that an output could not derive, all encrypted. If readers of an output decrypt, readers_can_decrypt lists the levels that they can decrypt. If kept_until is unknown, because says why.',
      'The search started on 26 Nov 2026, 10:00 UTC, and the files were created on 26 Nov 2026, 10:05 UTC.',
      'All streams of the account were searched.',
      'Events of this person under other values are not included, unless these occurred together with this value in an event of the same stream.',
      '',
    ].join('\r\n'),
  )
})

test('a copy without the events that name somebody else says so', () => {
  expect(filesOf(copy({ isAlone: true }))['README.txt']).toContain('were left out')
})

test('each place has a row, with its fields, their levels, and the end of its retention', () => {
  const places = [
    held({ erased: 1 }),
    held({ kind: 'output', name: 'clicks-2', events: 2, fields: [customer, mail] }),
    held({ kind: 'output', name: 'clicks-2', events: 2, fields: [mail] }),
    held({ kind: 'deleted', name: '=old', until: 'unknown', because: 'Kafka keeps it, perhaps' }),
  ]
  const files = filesOf(copy({ streams: [found('clicks', { held: places, withdrawn: [2] })] }))
  expect(files['where.csv']?.split('\r\n')).toEqual([
    '\uFEFFstream,place,kind,events,events_erased,decrypted_fields,encrypted_fields,consent_levels,tags,readers_can_decrypt,kept_until,because',
    'clicks,clicks,stream,3,1,,customer of level 0; mail of level 2 (marketing e-mails),"0, 2 (marketing e-mails) withdrawn since",,,2026-12-24,',
    'clicks,clicks-2,output,2,0,customer of level 0; mail of level 2 (marketing e-mails),,2 (marketing e-mails),team marketing,,2026-12-24,',
    'clicks,clicks-2,output,2,0,mail of level 2 (marketing e-mails),all other personal fields,2 (marketing e-mails),team marketing,,2026-12-24,',
    `clicks,"'=old",deleted output,3,0,,all personal fields,,,,unknown,"Kafka keeps it, perhaps"`,
  ])
})

test('what only an output still has is there with its fields, of whatever contract', () => {
  const left = held({ kind: 'output', name: 'clicks-2', events: 1, fields: [mail] })
  const files = filesOf(copy({ streams: [found('clicks', { by: [], held: [left] })] }))
  expect(files['where.csv']).toContain('output,1,0,mail of level 2 (marketing e-mails),all other')
})

test('what was not searched, and what has no file, is told', () => {
  const streams = [
    found('clicks', { notSearched: 'a partition has no leader' }),
    found('shop', { isErased: true }),
    found('empty', { by: [], held: [held({ name: 'empty', events: 0, until: '' })] }),
  ]
  const text = filesOf(copy({ streams }))['README.txt']
  expect(text).toContain('Not everything was searched: clicks (a partition has no leader).')
  expect(text).not.toContain('All streams')
  expect(text).toMatch(/^There is no file with the events of shop: nobody can decrypt/m)
})

test('a file has a name that every system can write', () => {
  expect(copyName('../Ä b@c.de', 'all', 'zip')).toBe('.._b@c.de-all.zip')
  expect(copyName('x'.repeat(99), 'clicks', 'csv')).toBe(`${'x'.repeat(60)}-clicks.csv`)
})
