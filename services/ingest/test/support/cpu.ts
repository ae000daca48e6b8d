// The processor time of a service's process, as the kernel counts it (Linux only). Unlike elapsed time, it does not
// depend on other load of the machine.
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** User and system time of all threads so far. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the command may contain spaces, but the fields after it don't (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000
}
