// A dialog over the page: the browser's own modal dialog, with its focus trap and Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { stayHere } from '../place.ts'

type Props = {
  readonly title: string
  readonly wide?: boolean
  /** Why the dialog should stay open. If set, closing asks first. */
  readonly guard?: string | undefined
  /** Shown with the question: what must be done first. */
  readonly first?: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, wide = false, guard, first, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const [isAsked, setAsked] = useState(false)
  const question = useRef<HTMLDivElement>(null)
  const titleId = useId()
  // Runs before the first paint: otherwise an early Escape goes to the page below.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    // Focus a field or the heading, so that a screen reader reads the content first, not the close button.
    const field = dialog.current?.querySelector<HTMLElement>('input, select, textarea')
    ;(field ?? heading.current)?.focus({ preventScroll: true })
  }, [])
  useGuard(guard, () => setAsked(true))
  useEffect(() => question.current?.scrollIntoView(), [isAsked])
  const guarded = useRef(guard)
  guarded.current = guard
  const closeNow = (): void => dialog.current?.close()
  const close = (): void => (guarded.current === undefined ? closeNow() : setAsked(true))
  useEscape(close)
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : undefined}
      aria-labelledby={titleId}
      onClose={onClose}
    >
      <header>
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ✕
        </button>
      </header>
      {isAsked && guard !== undefined ? (
        <div ref={question} role="alert" class="problems">
          <p>{guard}</p>
          <p class="row">
            {first}
            <button type="button" onClick={closeNow}>
              Close all the same
            </button>
          </p>
        </div>
      ) : null}
      {children}
    </dialog>
  )
}

/** While there is a reason to stay, an attempt to leave the page asks first. */
function useGuard(reason: string | undefined, onAttempt: () => void): void {
  useEffect(() => {
    if (reason === undefined) return
    const ask = (event: Event): void => event.preventDefault() // the browser asks before it leaves the page
    const leave = stayHere(onAttempt)
    addEventListener('beforeunload', ask)
    return () => {
      removeEventListener('beforeunload', ask)
      leave()
    }
  }, [reason])
}

/** Listens on the whole window, because the focus may be on an element that was removed. */
function useEscape(close: () => void): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      event.preventDefault() // the browser would close the dialog at the second Escape
      close()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
