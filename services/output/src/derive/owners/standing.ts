// Decides which partitions this replica owns now, from its lease, the candidates and the answers. `look` recomputes
// this after a heartbeat or at intervals, and reports a change.
import type { KnownReplica } from '@weir/control-state'
import { createAnswers } from './answers.ts'
import type { InputPartition } from './answers.ts'
import { candidatesIn } from './candidates.ts'
import type { Candidates } from './candidates.ts'
import { isHeld, renew } from './leases.ts'
import type { Instant, Lease } from './leases.ts'

export type Standing = {
  hear(replica: Pick<KnownReplica, 'id' | 'beat'>): void
  look(): void
  isMine(of: InputPartition, decrypterName: string): boolean
  isHeld(): boolean
}

type StandingOptions = {
  readonly self: string
  readonly clock: () => Instant
  /** Undefined while the topic isn't read to its end. */
  readonly replicas: () => Iterable<KnownReplica> | undefined
  /** Called when results of isMine may have changed. */
  readonly onChange: () => void
}

const nobody: Candidates = new Map()

export function createStanding({ self, clock, replicas, onChange }: StandingOptions): Standing {
  const answers = createAnswers(self)
  let lease: Lease | undefined

  const isHeldNow = (): boolean => isHeld(lease, clock()) && replicas() !== undefined

  const candidates = (): Candidates => {
    const [known, at] = [replicas(), clock()]
    if (known === undefined || !isHeld(lease, at)) return nobody
    return candidatesIn(known, { self, lease, at })
  }

  const look = (): void => {
    if (answers.update(candidates())) onChange()
  }

  return {
    hear({ id, beat }) {
      if (id === self) lease = renew(lease, { wallMs: beat.sentMs, uptimeMs: beat.uptimeMs })
    },
    look,
    isMine(of, decrypterName) {
      if (isHeldNow()) return answers.isMine(of, decrypterName)
      // The caller stops its work, so `look` records the loss. Otherwise no change would be reported if the lease
      // returns before the next regular `look`.
      look()
      return false
    },
    isHeld: isHeldNow,
  }
}
