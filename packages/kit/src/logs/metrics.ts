// The registry of a service's metrics, with the process's own (CPU, memory, event loop, GC) in it. What a
// service counts is declared in the service's metrics.ts, on this registry and on no global one.

import { collectDefaultMetrics, Registry } from 'prom-client'

export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}
