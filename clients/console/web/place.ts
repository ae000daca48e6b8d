// The user's place: `#/page/name` in the address, so that back and forward work. It never contains a secret.
import { useEffect, useState } from 'preact/hooks'

export type Place = {
  readonly page: string
  /** A stream's name, or a contract's id. */
  readonly name: string | undefined
}

export const hrefOf = (page: string, name?: string): string =>
  name === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(name)}`

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const onChange = (): void => setPlace(placeOf(location.hash))
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return place
}

export function goTo(page: string, name?: string): void {
  location.hash = hrefOf(page, name)
}

function placeOf(hash: string): Place {
  const [, page = '', name] = /^#\/([a-z]*)(?:\/(.+))?$/.exec(hash) ?? []
  return { page, name: name === undefined ? undefined : decoded(name) }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
