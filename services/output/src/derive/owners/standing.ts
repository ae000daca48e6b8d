// What this replica owns at this moment, of what it has read: its own lease, the candidates, the answers. It looks again when
// it is told to, after a heartbeat or some time, and says when something changed.
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
  /** undefined while not all is read. */
  readonly replicas: () => Iterable<KnownReplica> | undefined
  /** Answers of isMine may be others now. */
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
      // Whoever asked ends what it does, and must be told when it may begin again, even if that is before the next look.
      look()
      return false
    },
    isHeld: isHeldNow,
  }
}
