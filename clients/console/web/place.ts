// The current page: `#/page/name/id` in the address, so that back and forward work. The address never contains a
// secret.
import { useEffect, useState } from 'preact/hooks'

export type Place = {
  readonly page: string
  /** A stream's name, or a contract's id. */
  readonly name: string | undefined
  /** A request's id, or empty. */
  readonly id: string
}

export const hrefOf = (page: string, ...names: readonly (string | undefined)[]): string =>
  [
    '#',
    page,
    ...names.flatMap((name) => (name === undefined ? [] : encodeURIComponent(name))),
  ].join('/')

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const onChange = ({ oldURL }: HashChangeEvent): void => {
      if (onLeaving === undefined) return setPlace(placeOf(location.hash))
      history.pushState(null, '', oldURL)
      onLeaving()
    }
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return place
}

let onLeaving: (() => void) | undefined

/** Stays on the page until the returned function is called. An attempt to leave calls `onAttempt`. */
export function stayHere(onAttempt: () => void): () => void {
  onLeaving = onAttempt
  return () => (onLeaving = undefined)
}

export function goTo(page: string, name?: string): void {
  location.hash = hrefOf(page, name)
}

function placeOf(hash: string): Place {
  const [, page = '', name, id = ''] = /^#\/([a-z]*)(?:\/([^/]+)(?:\/(.+))?)?$/.exec(hash) ?? []
  return { page, name: name === undefined ? undefined : decoded(name), id: decoded(id) }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
