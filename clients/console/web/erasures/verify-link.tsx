// The address where anyone can check a receipt. It opens in a new tab, because this page may show a salt.
import type { Where } from '../api/calls.ts'
import { verifyPage } from '../api/erasures.ts'

export const VerifyLink = ({ where }: { readonly where: Where }) => (
  <a href={verifyPage(where)} target="_blank" rel="noopener">
    {verifyPage(where)}
  </a>
)
