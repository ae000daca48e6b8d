// Explains a failed connection to the operator, in one sentence that says what to check. The relevant settings differ
// between servers such as Kafka and the registry. The sentence names settings, but contains none of their values.

export type HintSettings = {
  /** The setting with the address. */
  readonly address: string
  /** The setting with the CA file. */
  readonly ca: string
  /** How to turn TLS off, if that is possible. */
  readonly noTls: string
  /** The setting with our client certificate, if there is one. */
  readonly certificate?: string
}

type Hint = readonly [codes: RegExp, sentence: (settings: HintSettings) => string]

const HINTS: readonly Hint[] = [
  [/^ECONNREFUSED$/, ({ address }) => `nothing listens there; see ${address}`],
  [/^(ENOTFOUND|EAI_\w+)$/, ({ address }) => `its name can't be resolved; see ${address}`],
  [
    /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    ({ address }) => `there is no route to it; see ${address} and the network's rules`,
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/,
    ({ ca }) => `its certificate is not signed by a trusted CA; name its CA's file in ${ca}`,
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ address }) =>
      `its certificate is for other names; use one of them in ${address}, and in the advertised listeners of brokers`,
  ],
  [/^CERT_HAS_EXPIRED$/, () => 'its certificate has expired; renew it there'],
  [/^CERT_NOT_YET_VALID$/, () => 'its certificate is not valid yet; check the clocks'],
  [
    /ALERT.*(CERT|UNKNOWN_CA|ACCESS_DENIED)/,
    ({ certificate }) =>
      `it needs a client certificate, or refuses the one it got; ${certificate ? `see ${certificate}` : 'none is configured'}`,
  ],
  [
    /^(ERR_SSL_.*|EPROTO)$/,
    ({ noTls }) => `the TLS handshake fails; does it use TLS? If not, ${noTls}`,
  ],
]

/** Returns undefined for an unknown error code. */
export function hintFor(code: string, settings: HintSettings): string | undefined {
  return HINTS.find(([codes]) => codes.test(code))?.[1](settings)
}

/**
 * Returns the error's code, if any. Doesn't use `instanceof`, because under a test runner errors of Node's own modules
 * have another Error class.
 */
export function codeIn(error: unknown): string {
  const has = typeof error === 'object' && error !== null && 'code' in error
  return has && typeof error.code === 'string' ? error.code : ''
}
