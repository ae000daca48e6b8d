// Ends replicas as Kubernetes does in a rolling update. While the pod's preStop hook waits, the balancer removes the
// pod. Then SIGTERM follows.
import type { Service } from '@weir/devstack'
import { delay, withTimeout } from '@weir/kit'
import type { Balancer } from './balancer.ts'

/** The delay until the balancer learns that a pod will end. */
const NEWS_MS = 300
/** The duration of the preStop hook: shorter than in the manifests, and longer than NEWS_MS. */
const PRE_STOP_MS = 1_000
/** The maximum time for a service to end. */
const GRACE_MS = 12_000

/** @returns the exit code of the pod */
export async function endPod(balancer: Balancer, pod: Service): Promise<number> {
  setTimeout(() => balancer.remove(pod), NEWS_MS)
  await delay(PRE_STOP_MS)
  process.kill(pod.pid, 'SIGTERM')
  return withTimeout(pod.exited, GRACE_MS, `the end of ${pod.name}`)
}
