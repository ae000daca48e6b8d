// Verifies a receipt for anyone who has one, without authentication. The response contains no data of an account beyond
// the receipt. There is a page for people, and an endpoint for programs.
import { readFileSync } from 'node:fs'
import { pageHeaders, pageOf } from '@weir/docs'
import { checkBody, readJson } from '@weir/http-api'
import type { Call, RouteAnswer, RouteHandler } from '@weir/http-api'
import { createAllowance, hasCode } from '@weir/kit'
import type { Erasures, Restores, StateFollower } from '@weir/control-state'
import { inWords, isAbout, verifyReceipt } from '@weir/tokens'
import type { ReceiptClaims, TokenErrorCode } from '@weir/tokens'
import { lostAt } from '../control/erasure/lost-windows.ts'
import { receiptJwks } from '../control/erasure/receipts.ts'
import type { AnswerNamed } from '../api/answers/answers.ts'
import { refusal } from '../errors.ts'
import { verifyBody } from './verify-body.ts'

const bodyBytesMax = 262_144
/** The limit of receipts for all callers of this replica together. */
const perSecond = 20

export function verifyForAnyone(state: Pick<StateFollower, 'tables'>) {
  const allowance = createAllowance(perSecond)
  return async (call: Call): Promise<RouteAnswer<AnswerNamed<'Verified'>>> => {
    if (!allowance.take())
      throw refusal('busy', 'Too many receipts are being checked; try again in a second')
    const asked = checkBody(verifyBody, await readJson(call, bodyBytesMax))
    const { value, salt } = asked
    const checked = claimsIn(asked.receipt, receiptJwks(state.tables))
    if ('why' in checked) return { status: 200, body: { isValid: false, ...checked } }
    const about =
      value === undefined || salt === undefined
        ? {}
        : { isAboutValue: isAbout(checked.claims, salt.trim(), value) }
    return {
      status: 200,
      body: {
        isValid: true,
        warning: warningOf(state.tables, checked.claims),
        ...about,
        ...inWords(checked.claims),
        ...checked,
      },
    }
  }
}

function claimsIn(
  receipt: string,
  keys: readonly unknown[],
): { readonly claims: ReceiptClaims } | { readonly why: string; readonly reason: Reason } {
  try {
    return { claims: verifyReceipt(receipt, keys) }
  } catch (error) {
    const [, reason] = reasons.find(([code]) => hasCode(error, code)) ?? []
    if (reason === undefined || !(error instanceof Error)) throw error
    return { why: error.message, reason }
  }
}

/** Returns a warning if a restore may have undone the erasure: the receipt itself stays genuine. */
export function warningOf(
  state: Restores & Pick<Erasures, 'erasure'>,
  { streamId, jti, acceptedAt }: ReceiptClaims,
): string | undefined {
  const lost = lostAt(state, Date.parse(String(acceptedAt)))
  if (lost === undefined || state.erasure(String(streamId), String(jti)) !== undefined)
    return undefined
  return (
    `Weir was restored from a backup at ${lost.until}. Requests since ${lost.since} may be undone, and this one ` +
    'is no longer known here: ask for the erasure again.'
  )
}
type Reason = NonNullable<AnswerNamed<'Verified'>['reason']>
const reasons = [
  ['tokens.not_a_receipt', 'not_a_receipt'],
  ['tokens.receipt_key_unknown', 'unknown_key'],
  ['tokens.receipt_changed', 'wrong_signature'],
] as const satisfies readonly (readonly [TokenErrorCode, Reason])[]

const script = readFileSync(new URL('page-script.js', import.meta.url))

export const showScript: RouteHandler = () => ({
  status: 200,
  headers: {
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
  },
  body: script.toString(),
})

/** Browsers ask for an icon of every page. */
export const showNoIcon: RouteHandler = () => ({ status: 204, body: '' })

export const showPage: RouteHandler = () => ({
  status: 200,
  headers: {
    ...pageHeaders,
    'content-security-policy':
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
  body: page,
})

const page = pageOf({
  title: 'Check a receipt · Weir',
  styleHref: 'docs/style.css',
  home: { href: 'verify', text: 'Weir' },
  body: `<h1>Check a receipt</h1>
<p>A receipt says that a person was erased, or has withdrawn a consent. Here you can check that it is genuine, and read what it says.</p>
<form id="form">
<p><label for="receipt">The receipt</label> <small>drop the file here, or paste its text</small><br>
<textarea id="receipt" rows="6" required spellcheck="false" autocomplete="off"></textarea></p>
<p><label for="file">or choose the file</label><br><input id="file" type="file"></p>
<p><label for="value">Whom it should be about</label> <small>optional: the value that named the person, exactly</small><br>
<input id="value" autocomplete="off" spellcheck="false"></p>
<p><label for="salt">The salt</label> <small>optional: it was shown once, when the request was accepted</small><br>
<input id="salt" autocomplete="off" spellcheck="false"></p>
<p><button type="submit">Check</button></p>
</form>
<div id="result" role="status"></div>
<noscript><p>This page needs JavaScript. <code>weir erasure verify</code> checks a receipt without a browser.</p></noscript>
<script src="verify/page.js" defer></script>`,
})
