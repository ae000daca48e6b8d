// The WebSockets of the live view: one for the input stream and one for each derived stream. A connection that breaks
// is opened again after two seconds, unless the stream is disabled or deleted.
import type { Session } from '../session.ts'
import type { Input } from '../api/account.ts'
import type { LiveFeed } from './live-store.ts'

export type WatchState =
  | 'connecting'
  | 'open'
  | 'too slow, trying again'
  | 'lost, trying again'
  | 'disabled'
  | 'gone'
  | 'only owners may watch it'
export type Watch = {
  readonly states: ReadonlyMap<string, WatchState>
  close(): void
}

const againMs = 2_000
const finalStates: ReadonlyMap<number, WatchState> = new Map([
  [4403, 'disabled'],
  [4410, 'gone'],
])

export function watchInput({ calls, may }: Session, input: Input, store: LiveFeed): Watch {
  const states = new Map<string, WatchState>()
  const open = new Set<() => void>()
  let isClosed = false

  const follow = (name: string, path: string, take: (text: string) => void): void => {
    if (isClosed) return
    states.set(name, states.get(name) ?? 'connecting')
    const socket = calls.watch(path)
    const close = (): void => socket.close()
    open.add(close)
    socket.onopen = () => states.set(name, 'open')
    socket.onmessage = ({ data }) => typeof data === 'string' && take(data)
    socket.onclose = ({ code }) => {
      open.delete(close)
      const final = finalStates.get(code)
      states.set(name, final ?? (code === 1013 ? 'too slow, trying again' : 'lost, trying again'))
      if (final === undefined) setTimeout(() => follow(name, path, take), againMs)
    }
  }

  const base = `/v2/streams/${input.name}`
  // Derived streams first, so that none of their events is missed.
  for (const { name } of input.outputs)
    if (!may('owner')) states.set(name, 'only owners may watch it')
    else follow(name, `${base}/outputs/${name}/watch`, (text) => store.addOutput(name, text))
  follow(input.name, `${base}/watch`, (text) => store.addInput(text, Date.now()))
  return {
    states,
    close() {
      isClosed = true
      for (const close of open) close()
    },
  }
}
