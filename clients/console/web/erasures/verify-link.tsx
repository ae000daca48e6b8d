// A link to the page where anyone can check a receipt. The link opens a new tab, because this page may show a salt.
import type { Where } from '../api/calls.ts'
import { verifyPage } from '../api/erasures.ts'

export const VerifyLink = ({ where }: { readonly where: Where }) => (
  <a href={verifyPage(where)} target="_blank" rel="noopener">
    {verifyPage(where)}
  </a>
)
