// The examples of RFC 7541 Appendix C: the bytes, their meaning, and the dynamic table after them.

export type Example = {
  block: string
  fields: readonly string[]
  /** The newest entry first. `tableBytes` is the table's size as the RFC counts it. */
  table: readonly string[]
  tableBytes: number
}
export type Sequence = { name: string; tableBytesMax: number; examples: readonly Example[] }

const get = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']
const authority = ':authority: www.example.com'
const noCache = 'cache-control: no-cache'
const [date1, date2] = [
  'date: Mon, 21 Oct 2013 20:13:21 GMT',
  'date: Mon, 21 Oct 2013 20:13:22 GMT',
]
const location = 'location: https://www.example.com'
const secret = 'cache-control: private'
const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'

const requests = (blocks: readonly [string, string, string]): Example[] => [
  { block: blocks[0], fields: get, table: [authority], tableBytes: 57 },
  { block: blocks[1], fields: [...get, noCache], table: [noCache, authority], tableBytes: 110 },
  {
    block: blocks[2],
    fields: [
      ':method: GET',
      ':scheme: https',
      ':path: /index.html',
      authority,
      'custom-key: custom-value',
    ],
    table: ['custom-key: custom-value', noCache, authority],
    tableBytes: 164,
  },
]

const responses = (blocks: readonly [string, string, string]): Example[] => [
  {
    block: blocks[0],
    fields: [':status: 302', secret, date1, location],
    table: [location, date1, secret, ':status: 302'],
    tableBytes: 222,
  },
  {
    block: blocks[1],
    fields: [':status: 307', secret, date1, location],
    table: [':status: 307', location, date1, secret],
    tableBytes: 222,
  },
  {
    block: blocks[2],
    fields: [':status: 200', secret, date2, location, 'content-encoding: gzip', cookie],
    table: [cookie, 'content-encoding: gzip', date2],
    tableBytes: 215,
  },
]

const one = (name: string, example: Example): Sequence => ({
  name,
  tableBytesMax: 4_096,
  examples: [example],
})

export const sequences: readonly Sequence[] = [
  one('C.2.1 a literal that is indexed', {
    block: '400a637573746f6d2d6b65790d637573746f6d2d686561646572',
    fields: ['custom-key: custom-header'],
    table: ['custom-key: custom-header'],
    tableBytes: 55,
  }),
  one('C.2.2 a literal that is not', {
    block: '040c2f73616d706c652f70617468',
    fields: [':path: /sample/path'],
    table: [],
    tableBytes: 0,
  }),
  one('C.2.3 a literal that never is', {
    block: '100870617373776f726406736563726574',
    fields: ['password: secret'],
    table: [],
    tableBytes: 0,
  }),
  one('C.2.4 an indexed field', {
    block: '82',
    fields: [':method: GET'],
    table: [],
    tableBytes: 0,
  }),
  {
    name: 'C.3 requests without Huffman coding',
    tableBytesMax: 4_096,
    examples: requests([
      '828684410f7777772e6578616d706c652e636f6d',
      '828684be58086e6f2d6361636865',
      '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
    ]),
  },
  {
    name: 'C.4 requests with Huffman coding',
    tableBytesMax: 4_096,
    examples: requests([
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      '828684be5886a8eb10649cbf',
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
    ]),
  },
  {
    name: 'C.5 responses without Huffman coding',
    tableBytesMax: 256,
    examples: responses([
      '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d',
      '4803333037c1c0bf',
      '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
    ]),
  },
  {
    name: 'C.6 responses with Huffman coding',
    tableBytesMax: 256,
    examples: responses([
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
      '4883640effc1c0bf',
      '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    ]),
  },
]
