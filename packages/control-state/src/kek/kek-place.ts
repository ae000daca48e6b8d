// The interface between Weir and the stores of its KEKs.
import type { KekProvider } from '@weir/fieldcrypt'

/**
 * The functions of a KEK place, which another KMS must offer, too. It wraps under the newest version of a named KEK,
 * unwraps by the id of a KEK, and says whether an id still exists. It says «no» only if it knows, never because a
 * response is missing. The record key is bound to the wrapped bytes.
 */
export type KekPlace = {
  wrap(name: string, ...toWrap: Parameters<KekProvider['wrap']>): ReturnType<KekProvider['wrap']>
  readonly unwrap: KekProvider['unwrap']
  readonly has: KekProvider['has']
  /**
   * The ids of the KEKs in this process; none if a KMS keeps them.
   * @throws if they are unknown
   */
  held(): Promise<readonly string[]>
}

/** All KEK places of this service, combined. */
export type HeldKeks = Pick<KekPlace, 'held'>
