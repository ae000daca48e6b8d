// What a process takes of the machine's memory, as the kernel counts it (Linux alone).
import { readFile } from 'node:fs/promises'

/** The most that was resident at any time since the process began. */
export async function peakResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`nothing is known of the memory of ${pid}`)
  return Number(kibibytes) * 1_024
}
