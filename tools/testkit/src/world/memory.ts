// A process's memory, as the kernel counts it (Linux only).
import { readFile } from 'node:fs/promises'

/** The peak resident size since the process began. */
export async function peakResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`nothing is known of the memory of ${pid}`)
  return Number(kibibytes) * 1_024
}
