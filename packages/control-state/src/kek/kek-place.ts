// The interface between Weir and whatever stores its KEKs.
import type { KekProvider } from '@weir/fieldcrypt'

/**
 * What each place of KEKs offers, and all that another KMS must offer: wrap under the newest version of a named KEK,
 * unwrap by the id of a KEK, and say whether that id still exists. It says «no» only if it knows, never for lack of a
 * response. What is wrapped is bound to the record key.
 */
export type KekPlace = {
  wrap(name: string, ...toWrap: Parameters<KekProvider['wrap']>): ReturnType<KekProvider['wrap']>
  readonly unwrap: KekProvider['unwrap']
  readonly has: KekProvider['has']
  /** The ids of the KEKs that this process itself has; none if a KMS keeps them. @throws if they are unknown */
  held(): Promise<readonly string[]>
}

/** All places of KEKs that this service has, as one. */
export type HeldKeks = Pick<KekPlace, 'held'>
