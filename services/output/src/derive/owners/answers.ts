// Decides which partitions this replica owns, with the current candidates. Each answer is computed once, and cached
// until the candidates of its decrypterName change. No I/O.
import type { Candidates } from './candidates.ts'
import { createRendezvous } from './rendezvous.ts'

export type InputPartition = { readonly streamId: string; readonly partition: number }

export type Answers = {
  /** Returns whether the candidates have changed. */
  update(candidates: Candidates): boolean
  isMine(of: InputPartition, decrypterName: string): boolean
}

type Shared = {
  readonly ids: readonly string[]
  readonly ownerOf: (key: string) => string | undefined
  readonly mine: Map<string, boolean>
}

export function createAnswers(self: string): Answers {
  const byName = new Map<string, Shared>()
  return {
    update(candidates) {
      const names = new Set([...byName.keys(), ...candidates.keys()])
      const changed = [...names].filter(
        (name) => !areSame(byName.get(name)?.ids, candidates.get(name)),
      )
      for (const name of changed) {
        const ids = candidates.get(name)
        if (ids === undefined) byName.delete(name)
        else byName.set(name, { ids, ownerOf: createRendezvous(ids), mine: new Map() })
      }
      return changed.length > 0
    },
    isMine({ streamId, partition }, decrypterName) {
      const shared = byName.get(decrypterName)
      if (shared === undefined) return false
      const key = `${streamId}/${partition}/${decrypterName}`
      const remembered = shared.mine.get(key)
      if (remembered !== undefined) return remembered
      const isOwner = shared.ownerOf(key) === self
      shared.mine.set(key, isOwner)
      return isOwner
    },
  }
}

/** Compares without regard to the order. */
function areSame(before: readonly string[] = [], after: readonly string[] = []): boolean {
  const known = new Set(before)
  return before.length === after.length && after.every((id) => known.has(id))
}
