// Reads a histogram of a service from its admin port, like Prometheus.
type Bucket = { readonly toMs: number; readonly upTo: number }

export type ServiceHistogram = {
  readonly count: number
  readonly buckets: readonly Bucket[]
  since(before: ServiceHistogram): ServiceHistogram
  bucketOf(share: number): { readonly fromMs: number; readonly toMs: number }
}

/** For a metric whose name ends in `_seconds`. */
export async function readHistogram(
  { adminUrl }: { readonly adminUrl: string },
  name: string,
): Promise<ServiceHistogram> {
  const answer = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) })
  const text = await answer.text()
  const lines = text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"[^}]*\\} (\\d+)$`, 'gm'))
  return histogramOf(
    [...lines].map(([, to = '', upTo]) => ({
      toMs: to === '+Inf' ? Infinity : Number(to) * 1_000,
      upTo: Number(upTo),
    })),
  )
}

function histogramOf(buckets: readonly Bucket[]): ServiceHistogram {
  const count = buckets.at(-1)?.upTo ?? 0
  return {
    count,
    buckets,
    since: (before) =>
      histogramOf(
        buckets.map(({ toMs, upTo }, at) => ({
          toMs,
          upTo: upTo - (before.buckets[at]?.upTo ?? 0),
        })),
      ),
    bucketOf(share) {
      const at = buckets.findIndex(({ upTo }) => upTo >= Math.ceil(count * share))
      return { fromMs: buckets[at - 1]?.toMs ?? 0, toMs: buckets[at]?.toMs ?? Infinity }
    },
  }
}
