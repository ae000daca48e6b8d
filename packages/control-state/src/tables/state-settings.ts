// The settings that all three services share, because they all follow control state: the KEKs, and the issuer of
// tokens.

import { url } from '@weir/kit'
import { kekFields } from '../kek/kek-settings.ts'

export const stateFields = {
  AUTH_PUBLIC_URL: url()
    .default('http://127.0.0.1:8081')
    .describe(
      'the address of auth for clients, and the issuer of tokens; the same value for all services',
    ),
  ...kekFields,
}
