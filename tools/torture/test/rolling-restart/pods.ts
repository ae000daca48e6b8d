// Replicas as Kubernetes deals with them in a rolling update: the new one gets connections once it is ready; the old
// one is taken out of the balancer, which takes a moment to get around, its preStop hook waits for that, then comes
// SIGTERM.
import type { Service } from '@weir/devstack'
import { delay, withTimeout } from '@weir/kit'
import type { Balancer } from './balancer.ts'

/** How late the balancer learns that a pod is to end. */
const NEWS_MS = 300
/** Less than the manifests have, and longer than the news takes. */
const PRE_STOP_MS = 1_000
/** What a service may take at most. */
const GRACE_MS = 12_000

/** @returns its exit code */
export async function endPod(balancer: Balancer, pod: Service): Promise<number> {
  setTimeout(() => balancer.remove(pod), NEWS_MS)
  await delay(PRE_STOP_MS)
  process.kill(pod.pid, 'SIGTERM')
  return withTimeout(pod.exited, GRACE_MS, `the end of ${pod.name}`)
}
