// The fenced writer of control state (docs/architecture.md 2). It has one fixed transactional id, so creating its
// producer fences every other writer. Until this writer is fenced itself, the tables plus its own commits are the
// current state. A rule that is checked against them is therefore valid. Waiting changes share a transaction.
import { delay, hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import { createTransactor } from '@weir/kafka'
import type { Kafka, Transactor } from '@weir/kafka'
import type { Change } from '@weir/control-state'
import { addPending, answerAll, decide, unavailable } from './decide-changes.ts'
import type { Decide, Deciding, PendingChange } from './decide-changes.ts'

export type Writer = {
  /**
   * Resolves with the answer when the change is committed and in this process's tables. Rejects with the refusal, or
   * with `unavailable` if Kafka does not commit the change within 20 s: the outcome is then unknown. If `what` is an
   * action, its audit entry is written in the same transaction.
   */
  change<Answer>(what: Change, decide: Decide<Answer>): Promise<Answer>
  close(): Promise<void>
}

export type WriterOptions = Deciding & {
  readonly log: Log
  /** Creates a producer with the writer's transactional id. */
  makeTransactor: () => Transactor
}

export const writerTransactor = (kafka: Kafka): Transactor =>
  createTransactor(kafka, { transactionalId: 'weir.control.writer', timeoutMs: 10_000 })

export function createWriter(options: WriterOptions): Writer {
  const { log, now } = options
  const waiting = new Set<PendingChange>()
  const fenced = createFenced(options.makeTransactor)
  let running: Promise<void> | undefined
  let closed = false

  const drain = async (): Promise<void> => {
    for (let attempt = 0; waiting.size > 0; attempt++) {
      try {
        await commit(options, { waiting, fenced })
        attempt = -1
      } catch (error) {
        await fenced.discard()
        if (!hasCode(error, 'kafka.fenced'))
          log.warn({ err: error }, 'a change was not written to control state; trying again')
        for (const pending of waiting)
          if (closed || pending.deadlineMs < now()) pending.fail(unavailable(error))
        if (waiting.size > 0) await delay(retryDelayMs(attempt))
      }
    }
    // Not in a later callback, because a change that is added after this point must start another drain.
    running = undefined
  }

  return {
    change(what, decideOn) {
      if (closed) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        addPending({ options, waiting }, { what, decide: decideOn }, { resolve, reject })
        running ??= drain()
      })
    },
    async close() {
      closed = true
      await running
      await fenced.discard()
    },
  }
}

async function commit(
  options: WriterOptions,
  { waiting, fenced }: { waiting: ReadonlySet<PendingChange>; fenced: Fenced },
): Promise<void> {
  // If there is nothing to write, the callers get their answers, and no other replica's writer is fenced.
  const unfenced = fenced.isHeld() ? undefined : await decide(options, waiting)
  if (unfenced?.chunks.length === 0) return answerAll(unfenced)
  const producer = await fenced.transactor()
  const decided = await decide(options, waiting)
  if (decided.chunks.length > 0) {
    await producer.transaction(async (tx) => {
      for (const chunk of decided.chunks) await tx.send(chunk)
    })
    await options.follower.catchUp()
  }
  answerAll(decided)
}

type Fenced = ReturnType<typeof createFenced>

/** Creates the producer when it is needed, which fences the former one. Keeps it until `discard`. */
function createFenced(makeTransactor: () => Transactor) {
  let held: Transactor | undefined
  return {
    isHeld: () => held !== undefined,
    async transactor(): Promise<Transactor> {
      if (held !== undefined) return held
      const made = makeTransactor()
      try {
        await made.fence()
      } catch (error) {
        await made.close().catch(() => {})
        throw error
      }
      return (held = made)
    },
    async discard(): Promise<void> {
      const old = held
      held = undefined
      await old?.close().catch(() => {})
    },
  }
}

/**
 * Returns 20 to 200 ms at first, doubled with each attempt, at most 5 s. The delay is random, so that two writers stop
 * fencing each other.
 */
function retryDelayMs(attempt: number): number {
  return Math.min(5_000, (20 + Math.random() * 180) * 2 ** Math.min(attempt, 8))
}
