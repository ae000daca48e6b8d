// When a broker that has put us off may be asked again (KIP-219): it has answered already, and reads nothing more from
// this connection for so long. What is written meanwhile would lie in a socket, and be stored after we have given it up.
import { delay } from '@weir/kit'

export type Throttle = {
  note(throttleMs: number): void
  /** 0: it may be asked now. */
  leftMs(): number
}

export function createThrottle(): Throttle {
  let untilMs = 0
  return {
    note(throttleMs) {
      if (throttleMs > 0) untilMs = Math.max(untilMs, performance.now() + throttleMs)
    },
    leftMs: () => Math.max(0, untilMs - performance.now()),
  }
}

export async function whenOver(throttle: Throttle): Promise<void> {
  for (let leftMs = throttle.leftMs(); leftMs > 0; leftMs = throttle.leftMs()) await delay(leftMs)
}
