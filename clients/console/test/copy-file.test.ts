// The copy for a person in one file.
import { expect, test } from '@jest/globals'
import { strToU8, unzipSync } from 'fflate'
import { copyFile, copyName } from '../web/people/copy/copy-file.ts'
import type { Copy } from '../web/people/copy/copy-file.ts'
import { found, held } from './support.ts'

const copy = (more: Partial<Copy> = {}): Copy => ({
  person: 'C-42',
  naming: 'anybody',
  startedAt: '2026-11-26T10:00:00.000Z',
  createdAt: '2026-11-26T10:05:00.000Z',
  streams: [found('clicks')],
  events: new Map([['clicks', strToU8('\uFEFFevent,time\r\n1,2')]]),
  ...more,
})

function filesOf(of: Copy): Record<string, string> {
  const files = Object.entries(unzipSync(copyFile(of)))
  // With Buffer, because TextDecoder would remove the byte order mark.
  return Object.fromEntries(
    files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]),
  )
}

test('the events of each stream are as they were downloaded, beside an explanation', () => {
  const files = filesOf(copy())
  expect(Object.keys(files)).toEqual(['C-42-clicks.csv', 'README.txt'])
  expect(files['C-42-clicks.csv']).toBe('\uFEFFevent,time\r\n1,2')
  expect(files['README.txt']).toBe(
    [
      'The files with the name of a stream contain its events of «C-42». Events that name somebody else are among them, if they have the same device, session or the like.',
      'Each row is one field of an event. The column purpose has the name of the consent level of a personal field.',
      'The column person says what an event has in the field that names people: searched is this value; other is another value, so the event may be about somebody else; linked is none, so the event only has the same device, session or the like; encrypted is a value that cannot be decrypted.',
      'A row with the field «consent level» has a level that the event was sent with consent to.',
      'The search started on 26 Nov 2026, 10:00 UTC, and the files were created on 26 Nov 2026, 10:05 UTC.',
      'All streams of the account were searched.',
      'Events of this person under other values are not included, unless these occurred together with this value in an event of the same stream.',
      '',
    ].join('\r\n'),
  )
})

test.each([
  ['not others', 'Events that name somebody else were left out.'],
  ['the person', 'Events that do not contain this value in the field that names people were left'],
] as const)('a copy with events that name %s says so', (naming, sentence) => {
  expect(filesOf(copy({ naming }))['README.txt']).toContain(sentence)
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
