// Processor time of a service's process, as the kernel counts it (Linux alone): how long something takes on a crowded
// machine is not the service's fault, and isn't measured.
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** User and system time of all threads so far. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the command may hold spaces; the fields after it don't (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000
}
