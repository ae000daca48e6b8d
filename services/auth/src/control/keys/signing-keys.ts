// The keys that sign id tokens (docs/wire-format.md Tokens). The public half is in control state, and the private half
// is wrapped by the wrapping key `sign`. A key is published an hour before it signs, and stays published until its last
// token has expired. On request a new key signs immediately. If former keys are revoked, their tokens become invalid
// within a second, because control state no longer contains the keys to verify them.
import { createPrivateKey } from 'node:crypto'
import { refusal } from '../../errors.ts'
import type { KeyObject } from 'node:crypto'
import { SIGN_KEY_NAME, wrapPart } from '@weir/fieldcrypt'
import { makeSigningKey } from '@weir/tokens'
import type { SigningKey } from '@weir/tokens'
import { act, privateSigningKey, signingKeyKey } from '@weir/control-state'
import type { Draft, PublicKeys, SigningKeyRecord, StateFollower } from '@weir/control-state'
import type { AnswerNamed } from '../../api/answers/answers.ts'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from './wrapping-keys.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const signsForMs = 30 * dayMs
const clocksDifferMsMax = 60_000
/** The lifetime of refresh tokens, the longest of all tokens. */
const tokensLiveMs = 30 * dayMs

export type Rotating = Omit<Changes, 'writer'> & { readonly wrappingKeys: WrappingKeys }

/** Creates the first key, or the next one when it is due, and removes expired keys. */
export async function keepSigningKeys(
  deps: Rotating & { readonly follower: Pick<StateFollower, 'tables'> },
): Promise<void> {
  const due = keysDue(deps.follower.tables, deps.now())
  if (!due.next && due.past.length === 0) return
  const made = makeSigningKey()
  await deps.wrappingKeys.changeWith(
    act(deps, 'keys.signing.rotate', {}),
    [SIGN_KEY_NAME],
    (draft) => {
      const { next, past } = keysDue(draft, deps.now())
      for (const key of past) drop(draft, key)
      if (!next) return
      draft.addToEntry({ kid: made.kid })
      const nowMs = deps.now()
      putNewKey(deps, draft, made, draft.signingKeys().length === 0 ? nowMs : nowMs + hourMs)
    },
  )
}

/**
 * Creates a key that signs immediately. With `revoke` all former keys are removed, so that copies of them are useless.
 * Without `revoke`, former keys still verify tokens, but sign no more.
 */
export async function rotateSigningKeys(
  deps: Rotating,
  { revoke }: { revoke: boolean },
): Promise<Omit<AnswerNamed<'SigningKeys'>, 'brokers'>> {
  const made = makeSigningKey()
  const what = act(deps, 'keys.signing.rotate', {})
  return deps.wrappingKeys.changeWith(what, [SIGN_KEY_NAME], (draft) => {
    const nowMs = deps.now()
    const former = draft.signingKeys()
    // A published key that has not signed yet would later replace the new one, so it is removed.
    const gone = former.filter((key) => revoke || key.signsFromMs > nowMs)
    for (const key of former)
      if (gone.includes(key)) drop(draft, key)
      else draft.put(signingKeyKey(key.kid), retired(key, nowMs))
    const revoked = revoke ? gone.map(({ kid }) => kid) : []
    draft.addToEntry({ kid: made.kid, ...(revoke ? { revoked } : {}) })
    const latestMs = Math.max(...former.map((key) => key.signsFromMs).filter((ms) => ms <= nowMs))
    // A time in the past, so that a replica whose clock is behind signs with the new key, too.
    putNewKey(deps, draft, made, Math.max(nowMs - clocksDifferMsMax, latestMs + 1))
    return { kid: made.kid, revoked }
  })
}

const retired = (key: SigningKeyRecord, nowMs: number): SigningKeyRecord => ({
  ...key,
  signsUntilMs: Math.min(key.signsUntilMs, nowMs),
  publishedUntilMs: Math.min(key.publishedUntilMs, nowMs + tokensLiveMs),
})

function drop(draft: Draft, { kid }: SigningKeyRecord): void {
  draft.put(signingKeyKey(kid), null)
  draft.keys.put(privateSigningKey(kid), null)
}

function putNewKey(
  deps: Pick<Rotating, 'wrappingKeys'>,
  draft: Draft,
  { kid, publicJwk, privatePem }: SigningKey,
  signsFromMs: number,
): void {
  const signsUntilMs = signsFromMs + signsForMs
  const publishedUntilMs = signsUntilMs + tokensLiveMs
  const times = { signsFromMs, signsUntilMs, publishedUntilMs }
  draft.put(signingKeyKey(kid), { type: 'signing-key', kid, publicJwk, ...times })
  const recordKey = privateSigningKey(kid)
  const plain = Buffer.from(privatePem, 'utf8')
  draft.keys.put(
    recordKey,
    wrapPart({ ...deps.wrappingKeys.current(SIGN_KEY_NAME), recordKey, plain }),
  )
}

function keysDue(
  state: Pick<PublicKeys, 'signingKeys'>,
  nowMs: number,
): { next: boolean; past: SigningKeyRecord[] } {
  const keys = state.signingKeys()
  return {
    next: keys.every((key) => key.signsUntilMs - hourMs <= nowMs),
    past: keys.filter((key) => key.publishedUntilMs <= nowMs),
  }
}

export type Signer = { readonly kid: string; readonly privateKey: KeyObject }

/**
 * Returns a function that returns the current signing key.
 * @throws Refusal `unavailable` while there is none
 */
export function createSigner(deps: {
  readonly follower: Pick<StateFollower, 'tables' | 'keyring'>
  readonly now: () => number
}): () => Signer {
  let last: Signer | undefined
  return () => {
    const nowMs = deps.now()
    const [newest] = deps.follower.tables
      .signingKeys()
      .filter((key) => key.signsFromMs <= nowMs)
      .sort((a, b) => b.signsFromMs - a.signsFromMs)
    if (newest !== undefined && newest.kid === last?.kid) return last
    const pem = newest && deps.follower.keyring.open(privateSigningKey(newest.kid), SIGN_KEY_NAME)
    if (newest === undefined || pem === undefined)
      throw refusal('unavailable', 'There is no signing key for tokens yet; try again')
    last = { kid: newest.kid, privateKey: createPrivateKey(pem) }
    pem.fill(0)
    return last
  }
}

/** Returns the public keys that verify tokens, as JWKs. */
export function publishedKeys(
  state: Pick<PublicKeys, 'signingKeys'>,
  nowMs: number,
): Readonly<Record<string, unknown>>[] {
  return state
    .signingKeys()
    .filter((key) => nowMs < key.publishedUntilMs)
    .map((key) => key.publicJwk)
}
