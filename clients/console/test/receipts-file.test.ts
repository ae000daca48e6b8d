// The receipts of several requests in one file.
import { expect, test } from '@jest/globals'
import { strFromU8, unzipSync } from 'fflate'
import { receiptsFile } from '../web/erasures/receipts-file.ts'
import { fileNameOf } from '../web/ui/file-name.ts'

test('each receipt has a file of its own, with a name that every system can write', () => {
  const receipts = [
    { id: 'e-1', reference: 'TICKET-7', receipt: 'a.b.c' },
    { id: 'e-2', reference: 'TICKET-7', receipt: 'd.e.f' },
    { id: 'e-3', reference: '', receipt: 'g.h.i' },
    { id: 'e-4', reference: '../Fall 7: «Ä»', receipt: 'j.k.l' },
  ]
  const files = Object.entries(unzipSync(receiptsFile(receipts)))
  expect(files.map(([name, bytes]) => [name, strFromU8(bytes)])).toEqual([
    ['TICKET-7-receipt-e-1.jws', 'a.b.c'],
    ['TICKET-7-receipt-e-2.jws', 'd.e.f'],
    ['receipt-e-3.jws', 'g.h.i'],
    ['Fall-7-receipt-e-4.jws', 'j.k.l'],
  ])
})

test('a file with a salt is named by the same rule', () => {
  expect(fileNameOf({ id: 'e-1', reference: 'TICKET 7' }, 'salt')).toBe('TICKET-7-salt-e-1')
  expect(fileNameOf({ id: 'e-1', reference: '' }, 'salt')).toBe('salt-e-1')
})
