// An erasure as the API shows it: its states, when the next ones are expected, and which outputs contain decrypted
// values until when. What Kafka does not report now is shown as unknown.
import { keysTopic, outputsHolding, topicOf } from '@weir/control-state'
import type { ErasureRecord, ErasureRest, HoldingOutput, Streams } from '@weir/control-state'
import { shownFound } from './receipts.ts'
import type { OutputClaim } from './receipts.ts'
import { keptFor } from './clear-at.ts'
import type { KeptFor } from './clear-at.ts'
import { appliedBy, completeBy } from './expected.ts'
import type { SettingsReader } from './settings-reader.ts'
import { refusal } from '../../errors.ts'

type Json = Record<string, unknown>

export type ErasureView = {
  show(state: Pick<Streams, 'streamsOf'>, erasure: ErasureRecord): Promise<Json>
  /**
   * For a receipt, which is permanent, so nothing may be unknown.
   * @throws Refusal `unavailable` when Kafka doesn't report the settings now
   */
  outputs(state: Pick<Streams, 'streamsOf'>, erasure: ErasureRecord): Promise<OutputClaim[]>
}

const unknown = 'unknown'

export function createErasureView(settings: SettingsReader): ErasureView {
  return {
    async show(state, erasure) {
      const [outputs, keys] = await Promise.all([
        claims(settings, { state, erasure }, () => ({
          unknown: 'has settings that Kafka does not report now',
        })),
        erasure.complete === undefined ? settings.topic(keysTopic).catch(() => undefined) : {},
      ])
      const { as, found, isWithdrawal, levels, reference, dueOn } = erasure
      const states = statesOf(erasure, completeBy(erasure, keys ?? {}))
      return {
        id: erasure.erasureId,
        state: Object.entries(states).findLast(([, reached]) => 'at' in reached)?.[0],
        as,
        values: erasure.subjects.length,
        found: shownFound(found),
        ...(reference === undefined ? {} : { reference }),
        ...(dueOn === undefined ? {} : { dueOn }),
        ...(isWithdrawal === true ? { levels } : {}),
        eras: erasure.eras,
        ...(erasure.rest && { progress: progressOf(erasure.rest) }),
        states,
        outputs,
      }
    },
    outputs: (state, erasure) =>
      claims(settings, { state, erasure }, (cause) => {
        throw refusal(
          'unavailable',
          'Kafka does not report the retention of the outputs; try again',
          { cause },
        )
      }),
  }
}

async function claims(
  settings: SettingsReader,
  { state, erasure }: { state: Pick<Streams, 'streamsOf'>; erasure: ErasureRecord },
  orElse: (error: unknown) => KeptFor,
): Promise<OutputClaim[]> {
  const writtenByMs = appliedBy(erasure)
  const holding = outputsHolding(state, erasure)
  return (
    await Promise.all(holding.map((one) => claim(settings, one, { writtenByMs, orElse })))
  ).flat()
}

async function claim(
  settings: SettingsReader,
  { output, levels }: HoldingOutput,
  { writtenByMs, orElse }: { writtenByMs: number; orElse: (error: unknown) => KeptFor },
): Promise<OutputClaim[]> {
  const topic = topicOf(output)
  const until = await kept(settings, topic).catch(orElse)
  if (until === undefined) return []
  const isDeleted = output.state === 'deleting' ? { deleted: true } : {}
  const atMs = 'ms' in until ? writtenByMs + until.ms : Infinity
  const cutMs = output.rebuild?.cut?.atMs ?? -Infinity
  // Records derived later were derived without the keys.
  const clearMs = cutMs >= writtenByMs ? Math.min(cutMs, atMs) : atMs
  const because = 'ms' in until ? '' : `${topic} ${until.unknown}`
  const clear = clearMs === Infinity ? { clearAt: unknown, because } : { clearAt: timeOf(clearMs) }
  return [{ name: output.name, levels, ...clear, ...isDeleted }]
}

/** Undefined if the topic does not exist. */
async function kept(settings: SettingsReader, topic: string): Promise<KeptFor | undefined> {
  const [ofTopic, ofBroker] = await Promise.all([settings.topic(topic), settings.broker()])
  return ofTopic && keptFor(ofTopic, ofBroker)
}

const progressOf = ({ links, done }: ErasureRest) => ({ links, erased: done })

type Reached = { readonly at: string }
/** A time, or `unknown`. */
type Expected = { readonly expectedBy: string }

/** `destroyed` depends on when the operators of Weir destroy the KEKs, so its time is unknown. */
function statesOf(
  erasure: ErasureRecord,
  completeByMs: number | undefined,
): Record<string, Reached | Expected> {
  const { acceptedAtMs, appliedAtMs, complete, destroyedAtMs } = erasure
  const one = (atMs: number | undefined, byMs: number | undefined): Reached | Expected => {
    if (atMs !== undefined) return { at: timeOf(atMs) }
    return { expectedBy: byMs === undefined ? unknown : timeOf(byMs) }
  }
  return {
    accepted: { at: timeOf(acceptedAtMs) },
    applied: one(appliedAtMs, appliedBy(erasure)),
    complete: one(complete?.atMs, completeByMs),
    destroyed: one(destroyedAtMs, undefined),
  }
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()
