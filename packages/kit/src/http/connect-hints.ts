// What a failed connection means to whoever runs the service: one sentence that says what to look at. The
// settings to look at differ between Kafka, its token endpoint and the registry. No sentence holds a value
// of a setting but the address.

export type HintSettings = {
  /** The setting that holds the address. */
  readonly address: string
  /** The one that names a CA file. */
  readonly ca: string
  /** How to have no TLS, where there is a choice. */
  readonly noTls: string
  /** The one that names our own certificate, if we can show one. */
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

/** undefined when nothing is known of such an error. */
export function hintFor(code: string, settings: HintSettings): string | undefined {
  return HINTS.find(([codes]) => codes.test(code))?.[1](settings)
}

/** Not by `instanceof`: under a test runner, errors of Node's own modules are of another Error. */
export function codeIn(error: unknown): string {
  const has = typeof error === 'object' && error !== null && 'code' in error
  return has && typeof error.code === 'string' ? error.code : ''
}
