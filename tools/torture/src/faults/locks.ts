// Locks by name: calls of `hold` that share a name run one after the other.

export type Locks = { hold<T>(names: readonly string[], work: () => Promise<T>): Promise<T> }

export function createLocks(): Locks {
  const last = new Map<string, Promise<unknown>>()
  return {
    hold(names, work) {
      const running = Promise.all(names.map(async (name) => last.get(name))).then(work)
      const ended = running.catch(() => undefined)
      for (const name of names) last.set(name, ended)
      return running
    },
  }
}
