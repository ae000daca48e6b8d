// Renders an erasure for the API: its states, when the next states are expected, and which outputs contain decrypted
// values until when. Times are `unknown` while Kafka does not report the settings.
import { keysTopic, outputsHolding, topicOf } from '@weir/control-state'
import type {
  ErasureRecord,
  FoundInOutput,
  HoldingOutput,
  Restores,
  Streams,
} from '@weir/control-state'
import { incompleteSince } from './lost-windows.ts'
import { shownFound } from './receipts.ts'
import type { OutputClaims } from './receipts.ts'
import { keptFor } from './clear-at.ts'
import type { KeptFor } from './clear-at.ts'
import { foundIn, readerClaims } from './outputs-found.ts'
import { appliedBy, completeBy, heardBy } from './expected.ts'
import type { SettingsReader } from './settings-reader.ts'
import { refusal } from '../../errors.ts'
import type { AnswerNamed } from '../../api/answers/answers.ts'

export type ErasureView = {
  show(
    state: Pick<Streams, 'streamsOf'> & Restores,
    erasure: ErasureRecord,
  ): Promise<AnswerNamed<'Erasure'>>
  /**
   * Returns the outputs for a receipt. A receipt is permanent, so missing settings are an error here.
   * @throws Refusal `unavailable` if Kafka doesn't report the settings now
   */
  outputs(state: Pick<Streams, 'streamsOf'>, erasure: ErasureRecord): Promise<OutputClaims>
}

const unknown = 'unknown'
const inOrder = ['accepted', 'applied', 'complete', 'destroyed'] as const

export function createErasureView(settings: SettingsReader): ErasureView {
  return {
    async show(state, erasure) {
      const [outputs, input, keys] = await Promise.all([
        claims(settings, { state, erasure }, notReported),
        inputClaim(settings, { state, erasure }),
        erasure.complete === undefined ? settings.topic(keysTopic).catch(() => undefined) : {},
      ])
      const { as, found, levels, reference, dueOn, terms, rest } = erasure
      const states = statesOf(erasure, {
        appliedByMs: appliedBy(state, erasure),
        completeByMs: completeBy(erasure, keys ?? {}),
      })
      return {
        id: erasure.erasureId,
        state: inOrder.findLast((state) => 'at' in states[state]) ?? 'accepted',
        as,
        values: erasure.subjects.length,
        found: shownFound(found),
        reference,
        dueOn,
        levels: erasure.isWithdrawal === true ? levels : undefined,
        terms,
        progress: rest && { links: rest.links, erased: rest.done },
        states,
        incompleteSince: incompleteSince(state, erasure),
        outputs,
        readers: readerClaims(state, erasure),
        input,
      }
    },
    outputs: (state, erasure) => claims(settings, { state, erasure }, refuse),
  }
}

function refuse(cause: unknown): never {
  throw refusal('unavailable', 'Kafka does not report the retention of the outputs; try again', {
    cause,
  })
}

const notReported = (): KeptFor => ({ unknown: 'has settings that Kafka does not report now' })

/** Returns when Kafka will have removed the events of the erasure; undefined if their topic does not exist. */
async function inputClaim(
  settings: SettingsReader,
  { state, erasure }: { state: Pick<Streams, 'streamsOf'>; erasure: ErasureRecord },
): Promise<AnswerNamed<'Erasure'>['input']> {
  const { billingId, streamId } = erasure
  const input = state.streamsOf(billingId).find((stream) => stream.streamId === streamId)
  if (input === undefined) return undefined
  const topic = topicOf(input)
  const until = await kept(settings, topic).catch(notReported)
  return until && clearAtOf(topic, until, { writtenByMs: heardBy(erasure), cutMs: -Infinity })
}

async function claims(
  settings: SettingsReader,
  { state, erasure }: { state: Pick<Streams, 'streamsOf'>; erasure: ErasureRecord },
  orElse: (error: unknown) => KeptFor,
): Promise<OutputClaims> {
  const writtenByMs = heardBy(erasure)
  const holding = outputsHolding(state, erasure)
  return (
    await Promise.all(
      holding.map(async (one) => {
        const found = foundIn(erasure, one.output)
        const claimed = await claim(settings, one, { writtenByMs, orElse })
        const counted =
          found === undefined
            ? {}
            : { events: found.events, foundLevels: foundLevels(erasure, one, found) }
        return claimed.map((each) => ({ ...each, ...counted }))
      }),
    )
  ).flat()
}

/** Returns the levels of found fields that the erasure concerns: all, if the output requires a withdrawn level. */
function foundLevels(
  { isWithdrawal, levels: withdrawn }: ErasureRecord,
  { output, levels }: HoldingOutput,
  found: FoundInOutput,
): number[] {
  const isRequired =
    isWithdrawal === true && output.consentLevels.some((level) => withdrawn.includes(level))
  return found.levels.filter((level) => isRequired || levels.includes(level))
}

async function claim(
  settings: SettingsReader,
  { output, levels }: HoldingOutput,
  { writtenByMs, orElse }: { writtenByMs: number; orElse: (error: unknown) => KeptFor },
): Promise<OutputClaims> {
  const topic = topicOf(output)
  const until = await kept(settings, topic).catch(orElse)
  if (until === undefined) return []
  const isDeleted = output.state === 'deleting' ? { deleted: true } : {}
  const cutMs = output.rebuild?.cut?.atMs ?? -Infinity
  const clear = clearAtOf(topic, until, { writtenByMs, cutMs })
  const { name, tags } = output
  return [{ name, ...(tags.length > 0 ? { tags } : {}), levels, ...clear, ...isDeleted }]
}

function clearAtOf(
  topic: string,
  until: KeptFor,
  { writtenByMs, cutMs }: { readonly writtenByMs: number; readonly cutMs: number },
): { clearAt: string; because?: string } {
  const atMs = 'ms' in until ? writtenByMs + until.ms : Infinity
  // A rebuild after `writtenByMs` removed all records that were derived with the old keys.
  const clearMs = cutMs >= writtenByMs ? Math.min(cutMs, atMs) : atMs
  const because = 'ms' in until ? '' : `${topic} ${until.unknown}`
  return clearMs === Infinity ? { clearAt: unknown, because } : { clearAt: timeOf(clearMs) }
}

/** Returns undefined if the topic does not exist. */
async function kept(settings: SettingsReader, topic: string): Promise<KeptFor | undefined> {
  const [ofTopic, ofBroker] = await Promise.all([settings.topic(topic), settings.broker()])
  return ofTopic && keptFor(ofTopic, ofBroker)
}

type States = AnswerNamed<'Erasure'>['states']

/** The expected time of `destroyed` is unknown, because it depends on when the operators destroy the KEKs. */
function statesOf(
  erasure: ErasureRecord,
  { appliedByMs, completeByMs }: { appliedByMs: number; completeByMs: number | undefined },
): States {
  const { acceptedAtMs, appliedAtMs, complete, destroyedAtMs } = erasure
  const one = (atMs: number | undefined, byMs: number | undefined) => {
    if (atMs !== undefined) return { at: timeOf(atMs) }
    return { expectedBy: byMs === undefined ? unknown : timeOf(byMs) }
  }
  return {
    accepted: { at: timeOf(acceptedAtMs) },
    applied: one(appliedAtMs, appliedByMs),
    complete: one(complete?.atMs, completeByMs),
    destroyed: one(destroyedAtMs, undefined),
  }
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()
