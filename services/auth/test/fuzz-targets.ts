// auth's fuzz targets: form-encoded bodies that anyone may send, and unknown members of contracts.
import type { FuzzTarget } from '@weir/testkit'
import { Refusal } from '@weir/http-api'
import { parseForm, requireFewMembers } from '../src/tokens/token-body.ts'
import { unknownMembers } from '../src/control/contracts/unknown-members.ts'

function jsonOf(octets: Buffer): unknown {
  try {
    return JSON.parse(octets.toString('utf8'))
  } catch {
    return undefined
  }
}

function refusing(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: 'form',
    words: ['&', '=', '%', '%61', '%ff', '+', 'grant_type', 'client_id', 'client_secret'],
    run: (octets) => refusing(() => parseForm(octets)),
  },
  {
    name: 'members',
    words: ['{', '}', '[', ']', ',', ':', '"schema"', '"validations"', 'null', '{"a":1}'],
    run(octets) {
      const body = jsonOf(octets)
      refusing(() => requireFewMembers(body))
      if (typeof body === 'object' && body !== null && !Array.isArray(body)) unknownMembers(body)
    },
  },
]
