// The seam between Weir and whatever keeps its KEKs.
import type { KekProvider } from '@weir/fieldcrypt'

/**
 * What each place of KEKs offers, and all that another KMS has to: wrap under the newest version of the KEK of a
 * name, unwrap by the id of a KEK, and tell whether that id is there still: «no» only by its own positive word, never for want
 * of an answer. What is wrapped is bound to the record key.
 */
export type KekPlace = {
  wrap(name: string, ...toWrap: Parameters<KekProvider['wrap']>): ReturnType<KekProvider['wrap']>
  readonly unwrap: KekProvider['unwrap']
  readonly has: KekProvider['has']
  /** The ids of the KEKs that this process itself has; none where a KMS keeps them. @throws when that can't be told */
  held(): Promise<readonly string[]>
}

/** All places of KEKs that this service has, as one. */
export type HeldKeks = Pick<KekPlace, 'held'>
