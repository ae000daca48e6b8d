// Copies a text to the clipboard, and says whether it worked: without TLS, a page may not write to the clipboard.
import { useState } from 'preact/hooks'

type Props = { readonly text: string; readonly label: string; readonly onCopied?: () => void }

export function CopyButton({ text, label, onCopied }: Props) {
  const [said, setSaid] = useState('')
  const copy = (): void => {
    const copying =
      navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copying.then(
      () => {
        setSaid('Copied')
        onCopied?.()
      },
      () => setSaid('The browser does not allow copying here: select the text'),
    )
  }
  return (
    <>
      <button type="button" onClick={copy}>
        {label}
      </button>{' '}
      <span role="status" class="small">
        {said}
      </span>
    </>
  )
}
