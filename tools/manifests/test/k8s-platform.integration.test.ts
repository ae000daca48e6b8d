// Compares the manifests with a cluster's behaviour: which nodes the scheduler counts, which pods may reach each other,
// what a drain or another platform requires, and which names and certificates must match.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { beforeAll, describe, expect, test } from '@jest/globals'

import { arrayOf, at, objectAt, objectsOf, manifestTextAt } from '../src/json.ts'
import type { Json } from '../src/json.ts'
import { containersOf, environmentOf, podOf } from '../src/manifests/pods.ts'
import { nameOf, ofKind, render, renderAll } from '../src/manifests/render.ts'
import { REPOSITORY } from '@weir/devstack'

let prod: Json[] = []
let dev: Json[] = []
let traced: Json[] = []
let onOpenShift: Json[] = []
let byTokens: Json[] = []
beforeAll(async () => {
  prod = await render(join(REPOSITORY, 'k8s/overlays/prod'))
  dev = await render(join(REPOSITORY, 'k8s/overlays/dev'))
  byTokens = await render(join(REPOSITORY, 'k8s/tests/kafka-by-tokens'))
  const sets = await renderAll([['traces'], ['registry', 'openshift']])
  ;[traced = [], onOpenShift = []] = sets
}, 200_000)

const named = (objects: readonly Json[], kind: string, name: string): Json =>
  ofKind(objects, kind).find((each) => nameOf(each) === name) ?? {}
const egressOf = (objects: readonly Json[], name: string): Json[] =>
  objectsOf(at(named(objects, 'NetworkPolicy', name), 'spec', 'egress'))
const kafkaOf = (objects: readonly Json[]): Json =>
  objectAt(ofKind(objects, 'Kafka')[0], 'spec', 'kafka')

test('nodes that take no pods count in no spread, and a rollout is spread by its new pods alone', () => {
  const workloads = ofKind(prod, 'Deployment')
  expect(workloads.length).toBe(4)
  for (const workload of workloads) {
    const constraints = objectsOf(podOf(workload)['topologySpreadConstraints'])
    expect(constraints[0]).toMatchObject({ whenUnsatisfiable: 'DoNotSchedule' })
    for (const constraint of constraints)
      expect([nameOf(workload), constraint]).toEqual([
        nameOf(workload),
        expect.objectContaining({
          nodeTaintsPolicy: 'Honor',
          matchLabelKeys: ['pod-template-hash'],
        }),
      ])
  }
  const [ofKafka] = objectsOf(at(kafkaOf(prod), 'template', 'pod', 'topologySpreadConstraints'))
  expect(ofKafka).toMatchObject({ nodeTaintsPolicy: 'Honor' })
})

describe('who reaches Kafka', () => {
  const peersOf = (objects: readonly Json[], listener: string): Json[] =>
    objectsOf(
      objectsOf(kafkaOf(objects)['listeners']).find((each) => each['name'] === listener)?.[
        'networkPolicyPeers'
      ],
    )

  test('each listener names who, since Strimzi opens one that does not to every pod', () => {
    for (const objects of [prod, dev])
      for (const listener of objectsOf(kafkaOf(objects)['listeners']))
        expect([
          listener['name'],
          peersOf(objects, manifestTextAt(listener, 'name')).length,
        ]).not.toEqual([listener['name'], 0])
  })

  test('those of the services and the registry, and of clients with the label or from named addresses', () => {
    const [own] = peersOf(prod, 'services')
    const [{ values } = {}] = objectsOf(at(own, 'podSelector', 'matchExpressions'))
    expect(new Set(arrayOf(values))).toEqual(new Set(ofKind(prod, 'Deployment').map(nameOf)))
    for (const peer of peersOf(dev, 'analysts'))
      expect(JSON.stringify(peer)).toContain('"weir.io/client":"true"')
    const outside = peersOf(prod, 'analysts')
      .map((peer) => manifestTextAt(peer, 'ipBlock', 'cidr'))
      .filter((cidr) => cidr !== '')
    const listener = objectsOf(kafkaOf(prod)['listeners'])[1]
    // Otherwise Kafka would see addresses of nodes instead of clients.
    expect(manifestTextAt(listener, 'configuration', 'externalTrafficPolicy')).toBe('Local')
    expect(arrayOf(at(listener, 'configuration', 'loadBalancerSourceRanges'))).toEqual(outside)
    expect(outside.length).toBe(1)
    expect(outside).not.toContain('0.0.0.0/0')
  })
})

describe('what leaves pods', () => {
  test('questions for names reach whatever answers them in kube-system, and a cache on the node', () => {
    const [flow] = egressOf(prod, 'all-to-dns')
    expect(flow?.['to']).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
      { ipBlock: { cidr: '169.254.20.10/32' } },
    ])
    const ports = objectsOf(flow?.['ports']).map(({ protocol, port }) => [protocol, port])
    expect(ports).toEqual([
      ['UDP', 53],
      ['TCP', 53],
    ])
    const [openShift] = egressOf(onOpenShift, 'all-to-openshift-dns')
    expect(manifestTextAt(objectsOf(openShift?.['ports'])[0], 'port')).toBe('5353')
  })

  test('spans reach the collector that they are for', () => {
    for (const service of ['weir-ingest', 'weir-output']) {
      const env = environmentOf(traced, named(traced, 'Deployment', service))
      const url = new URL(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '')
      const [flow] = egressOf(traced, 'weir-to-collector')
      const [to] = objectsOf(flow?.['to'])
      const namespace = manifestTextAt(
        to,
        'namespaceSelector',
        'matchLabels',
        'kubernetes.io/metadata.name',
      )
      expect(url.hostname.split('.')[1]).toBe(namespace)
      expect(manifestTextAt(objectsOf(flow?.['ports'])[0], 'port')).toBe(url.port)
    }
  })

  test('a token endpoint that Kafka wants tokens of is reached', () => {
    const env = environmentOf(byTokens, named(byTokens, 'Deployment', 'weir-ingest'))
    expect(new URL(env['KAFKA_OAUTH_TOKEN_URL'] ?? '').protocol).toBe('https:')
    const [flow] = egressOf(byTokens, 'weir-to-tokens')
    expect(objectsOf(flow?.['ports'])).toEqual([{ protocol: 'TCP', port: 443 }])
  })
})

test('on OpenShift no pod names a user or a group, and elsewhere each has those of the image', async () => {
  for (const workload of ofKind(onOpenShift, 'Deployment'))
    expect(Object.keys(objectAt(podOf(workload), 'securityContext')).toSorted()).toEqual([
      'runAsNonRoot',
      'seccompProfile',
    ])
  const image = /USER (\d+):(\d+)/.exec(await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8'))
  for (const workload of ofKind(prod, 'Deployment')) {
    const { runAsUser, runAsGroup } = objectAt(podOf(workload), 'securityContext')
    expect([String(runAsUser), String(runAsGroup)]).toEqual([image?.[1], image?.[2]])
  }
})

test('a certificate has every name that its Service is called by', () => {
  const [namespace = {}] = ofKind(prod, 'Namespace')
  const own = ofKind(prod, 'Service')
    .map(nameOf)
    .filter((name) => name !== 'weir-registry')
  for (const service of own) {
    const full = `${service}.${nameOf(namespace)}`
    const names = [service, full, `${full}.svc`, `${full}.svc.cluster.local`]
    const of = service === 'weir-auth-jwks' ? 'weir-auth' : service
    const certificate = named(prod, 'Certificate', `${of}-tls`)
    expect(arrayOf(at(certificate, 'spec', 'dnsNames'))).toEqual(expect.arrayContaining(names))
  }
})

test("a gateway finds the services' authority where cert-manager keeps it", () => {
  const secrets = ofKind(prod, 'Certificate').map((each) =>
    manifestTextAt(each, 'spec', 'secretName'),
  )
  const policies = ofKind(prod, 'BackendTLSPolicy')
  expect(policies.length).toBe(3)
  for (const policy of policies)
    for (const ref of objectsOf(at(policy, 'spec', 'validation', 'caCertificateRefs'))) {
      expect(ref['kind']).toBe('Secret')
      expect(secrets).toContain(ref['name'])
      // The CA's own Secret contains its private key, which no gateway needs.
      expect(ref['name']).not.toBe('weir-ca')
    }
})

test('what is asked for is what is used: autoscalers add a pod at 70 % of a whole core', async () => {
  const operations = await readFile(join(REPOSITORY, 'docs/operations.md'), 'utf8')
  expect(operations).toContain(
    'a CPU request of one core and no CPU limit. Add a replica when the replicas use 70 % of this request.',
  )
  for (const service of ['weir-ingest', 'weir-output']) {
    const [container] = containersOf(named(prod, 'Deployment', service))
    expect(manifestTextAt(container, 'resources', 'requests', 'cpu')).toBe('1')
    expect(at(container, 'resources', 'limits', 'cpu')).toBeUndefined()
  }
  const [ingest] = objectsOf(
    at(named(prod, 'HorizontalPodAutoscaler', 'weir-ingest'), 'spec', 'metrics'),
  )
  expect(at(ingest, 'resource', 'target')).toEqual({ type: 'Utilization', averageUtilization: 70 })
  const triggers = objectsOf(at(named(prod, 'ScaledObject', 'weir-output'), 'spec', 'triggers'))
  const cpu = triggers.find((each) => each['type'] === 'cpu')
  expect(cpu).toMatchObject({ metricType: 'Utilization', metadata: { value: '70' } })
})

test('a pod that is not ready holds up no drain', () => {
  const budgets = ofKind(prod, 'PodDisruptionBudget')
  expect(budgets.map(nameOf).toSorted()).toEqual(ofKind(prod, 'Deployment').map(nameOf).toSorted())
  for (const budget of budgets)
    expect(manifestTextAt(budget, 'spec', 'unhealthyPodEvictionPolicy')).toBe('AlwaysAllow')
})
