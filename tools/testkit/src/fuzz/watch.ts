// Finds inputs that never end. A separate thread watches the current input. If the input stays the same for too long,
// the thread writes it to a file and kills the process, because the busy main thread can't.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker, workerData } from 'node:worker_threads'

const octetsMax = 65_536
const everyMs = 1_000
/** Elapsed time, not CPU time. It is long, because the machine may be busy. */
const hangMs = 30_000

export type Watch = { see(octets: Buffer): void; end(): Promise<number> }

type Shared = { readonly count: Int32Array; readonly input: Uint8Array; readonly folder: string }

const sharedOf = (memory: SharedArrayBuffer, folder: string): Shared => ({
  count: new Int32Array(memory, 0, 2),
  input: new Uint8Array(memory, 8),
  folder,
})

/** Starts the thread. It writes an input that never ends to the file `hangs` of the folder. */
export function startWatch(folder: string): Watch {
  const memory = new SharedArrayBuffer(8 + octetsMax)
  const { count, input } = sharedOf(memory, folder)
  const worker = new Worker(new URL(import.meta.url), { workerData: { memory, folder } })
  worker.unref()
  return {
    see(octets) {
      input.set(octets.subarray(0, octetsMax))
      Atomics.store(count, 1, octets.length)
      Atomics.add(count, 0, 1)
    },
    end: () => worker.terminate(),
  }
}

function watch({ count, input, folder }: Shared): void {
  let last = -1
  let sinceMs = performance.now()
  setInterval(() => {
    const now = Atomics.load(count, 0)
    if (now !== last) {
      last = now
      sinceMs = performance.now()
    } else if (performance.now() - sinceMs > hangMs) {
      const octets = Buffer.from(input.slice(0, Atomics.load(count, 1)))
      writeFileSync(join(folder, 'hangs'), octets)
      process.kill(process.pid, 'SIGKILL')
    }
  }, everyMs)
}

/** The data that `startWatch` gives its thread. */
const isGiven = (data: unknown): data is { memory: SharedArrayBuffer; folder: string } =>
  typeof data === 'object' && data !== null && 'memory' in data && 'folder' in data

if (isGiven(workerData)) watch(sharedOf(workerData.memory, workerData.folder))
