// Collects a connection's output in buffers that are reused once they are written.
import type { Socket } from 'node:net'

export type Outgoing = {
  /** Returns this many bytes of output, which the caller must fill before any other call. */
  take(length: number): Buffer
  put(bytes: Buffer): void
  flush(): void
}

const slabBytes = 262_144

export function createOutgoing(socket: Socket): Outgoing {
  const free: Buffer[] = []
  let slab: Buffer = Buffer.allocUnsafeSlow(slabBytes)
  let used = 0
  const flush = (): void => {
    if (used === 0) return
    const written = slab
    socket.write(written.subarray(0, used), () => free.push(written))
    slab = free.pop() ?? Buffer.allocUnsafeSlow(slabBytes)
    used = 0
  }
  const take = (length: number): Buffer => {
    if (used + length > slabBytes) flush()
    const at = used
    used += length
    return slab.subarray(at, used)
  }
  return { take, flush, put: (bytes) => void bytes.copy(take(bytes.length)) }
}
