// Ends replicas as Kubernetes does in a rolling update: the pod is removed from the balancer, which takes a moment; its
// preStop hook waits for that; then SIGTERM follows.
import type { Service } from '@weir/devstack'
import { delay, withTimeout } from '@weir/kit'
import type { Balancer } from './balancer.ts'

/** How much later the balancer learns that a pod is to end. */
const NEWS_MS = 300
/** Shorter than in the manifests, and longer than NEWS_MS. */
const PRE_STOP_MS = 1_000
/** How long a service may take to end. */
const GRACE_MS = 12_000

/** @returns its exit code */
export async function endPod(balancer: Balancer, pod: Service): Promise<number> {
  setTimeout(() => balancer.remove(pod), NEWS_MS)
  await delay(PRE_STOP_MS)
  process.kill(pod.pid, 'SIGTERM')
  return withTimeout(pod.exited, GRACE_MS, `the end of ${pod.name}`)
}
