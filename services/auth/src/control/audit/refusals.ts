// Audit entries for requests that changed nothing: refused actions of known callers, and the number of requests without
// a known key. Each replica limits the entries per account and minute, and counts further refusals in one entry.
// Unknown callers add at most one entry in ten minutes.
import type { Log } from '@weir/kit'
import type { Actor, Audited, AuditAction, AuditTarget } from '@weir/control-state'
import type { Writer } from '../writer.ts'

export type RefusedAction = {
  readonly action: AuditAction
  readonly actor: Actor
  readonly target: AuditTarget
  readonly code: string
}

export type Refusals = {
  /** Logs a refusal without waiting. If Kafka can't store the entry, only this process's log has it. */
  refused(refused: RefusedAction): void
  /** Counts a management request without a known key. */
  denied(): void
  /** Writes entries with the numbers of refusals without their own entry. */
  tellCounts(): Promise<void>
}

const aMinuteMax = 30
const minuteMs = 60_000
const platform = ''

type RefusalsDeps = {
  readonly writer: Pick<Writer, 'change'>
  readonly log: Log
  readonly now: () => number
}

export function createRefusals(deps: RefusalsDeps): Refusals {
  const { writer, log } = deps
  const mayTell = createMinuteBound(deps.now)
  const dropped = new Map<string, number>()
  let deniedCount = 0

  const write = (what: Audited): Promise<void> =>
    writer
      .change(what, () => undefined)
      .catch((error: unknown) =>
        log.warn({ err: error, action: what.action }, 'a refusal is not in the audit log'),
      )

  return {
    refused({ code, ...what }) {
      const caller = what.actor.kind === 'account' ? what.actor.billingId : platform
      if (mayTell(caller)) void write({ ...what, refused: code })
      else dropped.set(caller, (dropped.get(caller) ?? 0) + 1)
    },
    denied: () => void (deniedCount += 1),
    async tellCounts() {
      const counts = [...dropped]
      const denials = deniedCount
      dropped.clear()
      deniedCount = 0
      const actor: Actor = { kind: 'auth' }
      for (const [account, count] of counts) {
        const target = account === platform ? { count } : { account, count }
        await write({ action: 'access.refused', actor, target, always: true })
      }
      if (denials > 0)
        await write({ action: 'access.denied', actor, target: { count: denials }, always: true })
    },
  }
}

/** Returns whether one more refusal of a caller may get its own entry in this minute. */
function createMinuteBound(now: () => number): (caller: string) => boolean {
  /** By account. Only known callers are counted, so the map stays small. */
  let told = new Map<string, number>()
  let sinceMs = now()
  return (caller) => {
    if (now() - sinceMs >= minuteMs) {
      told = new Map()
      sinceMs = now()
    }
    const count = (told.get(caller) ?? 0) + 1
    told.set(caller, count)
    return count <= aMinuteMax
  }
}
