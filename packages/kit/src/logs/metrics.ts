// The registry of a service's metrics, including those of the process (CPU, memory, event loop, GC). A service declares
// its own metrics in its metrics.ts, on this registry, not on a global one.

import { collectDefaultMetrics, Registry } from 'prom-client'

export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}
