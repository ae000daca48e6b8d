// Where the events of a person are stored, as a file for the organization.
import { expect, test } from '@jest/globals'
import type { Output } from '../web/api/account.ts'
import { placesFile } from '../web/people/copy/places-file.ts'
import type { Places } from '../web/people/copy/places-file.ts'
import { levelWordsOf } from '../web/purposes/level-words.ts'
import { found, held } from './support.ts'

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

const customer = { contract: 'visits', path: 'customer', level: 0 }
const mail = { contract: 'visits', path: 'mail', level: 2 }
const knowing = {
  contracts: [{ id: 'visits', levels: new Map(Object.entries({ customer: 0, mail: 2 })) }],
  words: levelWordsOf([{ name: 'marketing', title: 'marketing e-mails', level: 2 }]),
}

const fileOf = (streams: Places['streams']): string =>
  placesFile({ streams, outputs: new Map([['clicks', [output]]]) }, knowing)

test('each place has a row, with its fields, their levels, and the end of its retention', () => {
  const places = [
    held({ erased: 1 }),
    held({ kind: 'output', name: 'clicks-2', events: 2, fields: [customer, mail] }),
    held({ kind: 'output', name: 'clicks-2', events: 2, fields: [mail] }),
    held({ kind: 'deleted', name: '=old', until: 'unknown', because: 'Kafka keeps it, perhaps' }),
  ]
  const streams = [
    found('clicks', { held: places, withdrawn: [2] }),
    found('lost', { held: [], notSearched: 'no leader' }),
  ]
  expect(fileOf(streams).split('\r\n')).toEqual([
    '\uFEFFstream,place,kind,events_found,events_erased,decrypted_fields,encrypted_fields,sent_with_consent_to,for_consent_to,tags_of_output,readers_can_decrypt,kept_until,kept_until_is_unknown_because,not_searched',
    'clicks,clicks,stream,3,1,,customer of level 0; mail of level 2 (marketing e-mails),"0, 2 (marketing e-mails) withdrawn since",,,,2026-12-24,,',
    'clicks,clicks-2,output,2,0,customer of level 0; mail of level 2 (marketing e-mails),,,2 (marketing e-mails),team marketing,,2026-12-24,,',
    'clicks,clicks-2,output,2,0,mail of level 2 (marketing e-mails),all other personal fields,,2 (marketing e-mails),team marketing,,2026-12-24,,',
    `clicks,"'=old",deleted output,3,0,,all personal fields,,,,,unknown,"Kafka keeps it, perhaps",`,
    'lost,lost,stream,unknown,0,,customer of level 0; mail of level 2 (marketing e-mails),"0, 2 (marketing e-mails)",,,,,,no leader',
  ])
})

test('what only an output still has is there with its fields, of whatever contract', () => {
  const left = held({ kind: 'output', name: 'clicks-2', events: 1, fields: [mail] })
  expect(fileOf([found('clicks', { by: [], held: [left] })])).toContain(
    'output,1,0,mail of level 2 (marketing e-mails),"other personal fields, if any"',
  )
})
