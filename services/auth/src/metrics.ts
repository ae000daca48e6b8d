// auth's metrics. Labels are closed sets, such as path templates and statuses. A label never contains an account, a
// stream or a client. Most counters start with 0, because Prometheus does not see the first increase of a new series.
// The series of requests and of rare refusals appear when they occur.
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

const grants = ['credentials', 'refresh', 'client_credentials'] as const
export type Grant = (typeof grants)[number]
const changeOutcomes = ['done', 'refused', 'failed'] as const
type ChangeOutcome = (typeof changeOutcomes)[number]
/** The most frequent codes of refused token requests. */
const refusalCodes = ['invalid_request', 'invalid_credentials', 'too_many_failures', 'internal']

export type AuthMetrics = {
  answered(request: { method: string; route: string; status: number; seconds: number }): void
  tokenIssued(grant: Grant): void
  tokenRefused(grant: Grant, code: string): void
  changed(outcome: ChangeOutcome): void
}

/** The current state of an erasure that waits for the next state. */
export type ErasureWaits = 'accepted' | 'applied'
export type PendingErasures = { readonly count: number; readonly oldestMs: number }

export type PendingWork = {
  readonly cleanUps: () => number
  /** Returns the pending erasures by their current state. */
  readonly erasures: () => Readonly<Record<ErasureWaits, PendingErasures>>
  /** Returns the largest used share of ERASURES_MAX, ACCOUNT_KEY_BYTES_MAX and KEY_BYTES_MAX. */
  readonly erasuresShare: () => number
}

export function createAuthMetrics(registry: Registry, pending: PendingWork): AuthMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'svc_auth_requests_total',
    help: 'Responses, by path template, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'svc_auth_request_duration_seconds',
    help: 'Time from a request to its response, by path template and method',
    labelNames: ['route', 'method'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  })
  const { issued, refused } = countTokens(registers)
  const changes = new Counter({
    name: 'svc_auth_changes_total',
    help: 'Changes of control state, by outcome',
    labelNames: ['outcome'] as const,
    registers,
  })
  gaugePending(registers, pending)
  for (const outcome of changeOutcomes) changes.inc({ outcome }, 0)
  return {
    answered({ method, route, status, seconds: duration }) {
      requests.inc({ route, method, status })
      seconds.observe({ route, method }, duration)
    },
    tokenIssued: (grant) => issued.inc({ grant }),
    tokenRefused: (grant, code) => refused.inc({ grant, code }),
    changed: (outcome) => changes.inc({ outcome }),
  }
}

function countTokens(registers: Registry[]) {
  const issued = new Counter({
    name: 'svc_auth_tokens_issued_total',
    help: 'Id tokens issued, by grant',
    labelNames: ['grant'] as const,
    registers,
  })
  const refused = new Counter({
    name: 'svc_auth_tokens_refused_total',
    help: 'Token requests refused, by grant and error code',
    labelNames: ['grant', 'code'] as const,
    registers,
  })
  for (const grant of grants) {
    issued.inc({ grant }, 0)
    for (const code of refusalCodes) refused.inc({ grant, code }, 0)
  }
  return { issued, refused }
}

function gaugePending(registers: Registry[], pending: PendingWork): void {
  new Gauge({
    name: 'svc_auth_clean_ups_pending',
    help: 'Deleted streams whose topics, groups or keys still exist',
    registers,
    collect() {
      this.set(pending.cleanUps())
    },
  })
  new Gauge({
    name: 'svc_auth_erasures_pending',
    help: 'Erasures that are not complete yet, by state',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, { count }] of Object.entries(pending.erasures()))
        this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'svc_auth_erasures_oldest_seconds',
    help: 'Seconds since the oldest pending erasure was accepted, by state; 0 if there is none, or if it only waits until the keys of readers end',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, { oldestMs }] of Object.entries(pending.erasures()))
        this.set({ state }, Math.round(oldestMs / 1_000))
    },
  })
  new Gauge({
    name: 'svc_auth_erasures_used_share',
    help: 'The largest used share of ERASURES_MAX, ACCOUNT_KEY_BYTES_MAX and KEY_BYTES_MAX, from 0 to 1',
    registers,
    collect() {
      this.set(pending.erasuresShare())
    },
  })
}
