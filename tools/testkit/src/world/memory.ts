// Reads a process's memory from the kernel (Linux only).
import { readFile } from 'node:fs/promises'

export async function peakResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`nothing is known of the memory of ${pid}`)
  return Number(kibibytes) * 1_024
}
