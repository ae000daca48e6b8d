// The interface between Weir and the stores of its KEKs.
import type { KekProvider } from '@weir/fieldcrypt'

/**
 * A source of KEKs: the lines of a file or variable, or a KMS. `wrap` uses the newest version of the named KEK, and
 * binds the result to the record key. `has` returns false only if the KEK certainly no longer exists, and throws if
 * this is unknown.
 */
export type KekPlace = {
  wrap(name: string, ...toWrap: Parameters<KekProvider['wrap']>): ReturnType<KekProvider['wrap']>
  readonly unwrap: KekProvider['unwrap']
  readonly has: KekProvider['has']
  /**
   * The ids of the KEKs in this process. Empty for a KMS, which keeps its KEKs.
   * @throws if they are unknown
   */
  held(): Promise<readonly string[]>
}

/** `held` for all sources of this service together. */
export type HeldKeks = Pick<KekPlace, 'held'>
