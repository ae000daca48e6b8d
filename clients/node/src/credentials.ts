// The options of everything that needs a token: the addresses of the services and the credentials of a stream.
export type CredentialsOptions = {
  /** The address of auth. */
  readonly authUrl: string
  readonly billingId: string
  readonly clientId: string
  readonly clientSecret: string
  /** PEM of the authorities to trust, if Weir's certificates are from your own authority. */
  readonly ca?: string | Uint8Array | undefined
}
