// Receipts of erasures (docs/forgetting.md): their claims, and the keys that sign them. A key signs for a year. Its
// public half stays published forever, because a receipt does not expire. Only auth has the private halves.
import { createPrivateKey } from 'node:crypto'
import type { Refusal } from '@weir/http-api'
import { SIGN_KEY_NAME, wrapPart } from '@weir/fieldcrypt'
import { makeReceiptKey, signReceipt } from '@weir/tokens'
import {
  act,
  keysTopic,
  privateReceiptKey,
  receiptKeyKey,
  requireErasure,
  requireInput,
} from '@weir/control-state'
import type {
  Contracts,
  ErasureRecord,
  FoundPeople,
  PublicKeys,
  ReceiptKeyRecord,
  StateFollower,
} from '@weir/control-state'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { erasuresLostOf, incompleteSince } from './lost-windows.ts'
import { contractsBy } from './erasure-contracts.ts'
import { readerClaims } from './outputs-found.ts'
import type { ErasureContracts } from './erasure-contracts.ts'
import { refusal } from '../../errors.ts'
import type { AnswerNamed } from '../../api/answers/answers.ts'

const signsForMs = 365 * 24 * 3_600_000

type Signing = { readonly follower: Pick<StateFollower, 'tables' | 'keyring'> }

export type KeepingReceiptKey = Omit<Changes, 'writer'> & {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'tables'>
}

/** Creates the first key, and each further key when it is due. */
export async function keepReceiptKey(deps: KeepingReceiptKey): Promise<void> {
  if (!isDue(deps.follower.tables, deps.now())) return
  const { kid, publicJwk, privatePem } = makeReceiptKey()
  const recordKey = privateReceiptKey(kid)
  const what = act(deps, 'keys.receipt.rotate', { kid })
  await deps.wrappingKeys.changeWith(what, [SIGN_KEY_NAME], (draft) => {
    if (!isDue(draft, deps.now())) return
    for (const old of draft.receiptKeys())
      if (draft.keys.get(privateReceiptKey(old.kid)) !== undefined)
        draft.keys.put(privateReceiptKey(old.kid), null)
    draft.put(receiptKeyKey(kid), {
      type: 'receipt-key',
      kid,
      publicJwk,
      receiptsFromMs: deps.now(),
    })
    const plain = Buffer.from(privatePem, 'utf8')
    draft.keys.put(
      recordKey,
      wrapPart({ ...deps.wrappingKeys.current(SIGN_KEY_NAME), recordKey, plain }),
    )
  })
}

const newestOf = (state: Pick<PublicKeys, 'receiptKeys'>): ReceiptKeyRecord | undefined =>
  state.receiptKeys().sort((a, b) => b.receiptsFromMs - a.receiptsFromMs)[0]

function isDue(state: Pick<PublicKeys, 'receiptKeys'>, nowMs: number): boolean {
  const newest = newestOf(state)
  return newest === undefined || newest.receiptsFromMs + signsForMs <= nowMs
}

/** Returns the public halves of all receipt keys, as JWKs. */
export const receiptJwks = (
  state: Pick<PublicKeys, 'receiptKeys'>,
): Readonly<Record<string, unknown>>[] => state.receiptKeys().map(({ publicJwk }) => publicJwk)

/** Outputs that may contain values of the erasure's levels: see holding-outputs.ts. */
export type OutputClaims = AnswerNamed<'Erasure'>['outputs']

export type ReceiptRequest = {
  readonly billingId: string
  readonly name: string
  readonly erasureId: string
  readonly issuer: string
  readonly outputs: (erasure: ErasureRecord) => Promise<OutputClaims>
}

/** @throws ControlStateError `control-state.not_found`; Refusal `not_complete`, `unavailable` */
export async function receiptFor(
  deps: Changes & Signing,
  request: ReceiptRequest,
): Promise<string> {
  const { billingId, name, erasureId } = request
  const what = act(deps, 'erasure.receipt', {
    account: billingId,
    stream: name,
    erasure: erasureId,
  })
  const { erasure, ...then } = await deps.writer.change({ ...what, always: true }, (draft) => {
    const stream = requireInput(draft, billingId, name)
    const found = requireErasure(draft, stream, erasureId)
    if (found.complete === undefined) throw notComplete(found)
    return {
      erasure: found,
      contracts: contractsThen(draft, found),
      purposes: purposesOf(draft, found),
      readers: readerClaims(draft, found),
      lost: {
        erasuresLost: erasuresLostOf(draft, stream),
        incompleteSince: incompleteSince(draft, found),
      },
    }
  })
  const outputs = await request.outputs(erasure)
  return sign(deps, {
    ...claimsOf(erasure, request.issuer, deps.now()),
    stream: name,
    contracts: then.contracts.naming,
    otherContracts: then.contracts.others,
    outputs,
    readers: then.readers,
    purposes: then.purposes,
    ...then.lost,
  })
}

/**
 * Returns the contracts at the time of the erasure. Contracts exist as long as their account, and their fields never
 * change.
 */
const contractsThen = (
  state: Pick<Contracts, 'contractsOf'>,
  { as, billingId, acceptedAtMs }: ErasureRecord,
): ErasureContracts =>
  contractsBy(
    as,
    state.contractsOf(billingId).filter(({ createdAtMs }) => createdAtMs <= acceptedAtMs),
  )

/** Returns the titles that the account gives the withdrawn levels now; undefined without titles. */
function purposesOf(
  state: Pick<StateFollower['tables'], 'account'>,
  { billingId, levels, isWithdrawal }: ErasureRecord,
): readonly { readonly level: number; readonly title: string }[] | undefined {
  if (isWithdrawal !== true) return undefined
  const named = state.account(billingId)?.purposes ?? []
  const titles = named
    .filter(({ level }) => levels.includes(level))
    .map(({ level, title }) => ({ level, title }))
  return titles.length === 0 ? undefined : titles
}

const notComplete = ({ erasureId }: ErasureRecord): Refusal =>
  refusal(
    'not_complete',
    `The erasure ${erasureId} is not complete yet: Kafka still has the old key records`,
  )

function sign({ follower }: Signing, claims: object): string {
  const newest = newestOf(follower.tables)
  const pem = newest && follower.keyring.open(privateReceiptKey(newest.kid), SIGN_KEY_NAME)
  if (newest === undefined || pem === undefined)
    throw refusal('unavailable', 'There is no signing key for receipts yet; try again')
  const privateKey = createPrivateKey(pem)
  pem.fill(0)
  return signReceipt({ kid: newest.kid, privateKey }, claims)
}

const claimOf = (isLinked: boolean): string =>
  'From completeAt on, the key log of Weir contains no key, in these terms and levels, for the encrypted fields of events ' +
  'in which the field named in contracts has one of these values' +
  (isLinked
    ? ', or whose key field value occurred, in an event before acceptedAt, together with one of these values. Other events'
    : '. Events') +
  ' of otherContracts, and events with a value only in other fields, are not covered. ' +
  'The outputs named here may contain values that were decrypted before appliedAt, each until its clearAt. ' +
  'Readers of the outputs in readers decrypt with keys that Weir lends them: from appliedAt on, all such keys for this are older than keyMaxAgeSeconds. ' +
  'This says nothing about data that was exported or copied from outputs.'

const foundClaim = ({ events, values, by }: FoundPeople): string => {
  if (events === 0)
    return 'Before this request a search of the stream found 0 events with these values: 0 found.'
  const linked = by.some(({ as }) => as === 'data_subject_field')
  const also = linked ? ', or with a key field value that occurred together with one of them' : ''
  return `Before this request a search of the stream found ${events} events with ${values} of these values${also}.`
}

/** Renders what a search found in the input stream, for receipts and responses. */
export const shownFound = ({ values, events, by, notSearched, searchedAtMs }: FoundPeople) => ({
  values,
  events,
  by,
  notSearched,
  searchedAt: new Date(searchedAtMs).toISOString(),
})

function claimsOf(erasure: ErasureRecord, issuer: string, nowMs: number) {
  const { erasureId, billingId, streamId, reference, as, subjects, found } = erasure
  const { terms, levels, keks, complete } = erasure
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : new Date(ms).toISOString()
  return {
    iss: issuer,
    iat: Math.floor(nowMs / 1_000),
    jti: erasureId,
    claim: `${claimOf(as.includes('data_subject_field'))} ${foundClaim(found)}`,
    billingId,
    streamId,
    reference,
    as,
    subjects,
    found: shownFound(found),
    terms,
    levels: erasure.isWithdrawal === true ? levels : 'all',
    acceptedAt: time(erasure.acceptedAtMs),
    appliedAt: time(erasure.appliedAtMs),
    completeAt: time(complete?.atMs),
    destroyedAt: time(erasure.destroyedAtMs),
    scanned: {
      topic: keysTopic,
      to: complete?.scannedTo,
      leader: complete?.leader,
      at: time(complete?.scannedAtMs),
    },
    keks,
  }
}
