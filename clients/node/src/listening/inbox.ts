// A bounded queue of events between the socket and one reader. No I/O.

export type Inbox<Event> = {
  /** Returns false when the inbox is full: add no more events until `onRoom` is called. */
  put(event: Event): boolean
  /** Returns the next event, or undefined at the end. @throws the error of `end`, after all earlier events */
  take(): Promise<Event | undefined>
  end(error?: Error): void
}

export function createInbox<Event>(max: number, onRoom: () => void): Inbox<Event> {
  let events: Event[] = []
  let head = 0
  let ended: { readonly error: Error | undefined } | undefined
  let waiting: (() => void)[] = []

  const held = (): number => events.length - head
  const wake = (): void => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  function next(): Event | undefined {
    const event = events[head]
    head += 1
    if (head === events.length || head >= 1_024) {
      events = events.slice(head)
      head = 0
    }
    if (held() === max >> 1) onRoom()
    return event
  }

  return {
    put(event) {
      if (ended !== undefined) return true
      events.push(event)
      wake()
      return held() < max
    },
    async take() {
      while (held() === 0 && ended === undefined)
        await new Promise<void>((resolve) => waiting.push(resolve))
      if (held() > 0) return next()
      if (ended?.error !== undefined) throw ended.error
      return undefined
    },
    end(error) {
      ended ??= { error }
      wake()
    },
  }
}
