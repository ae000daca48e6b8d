// Compares the manifests with the code: ports, paths, images, shutdown. Checks that their references exist. Uses the
// overlay `prod`, which has most components, and the overlay of the trial.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createMetrics, startAdmin } from '@weir/kit'
import type { AdminPort } from '@weir/kit'

import { analystSettings, CLOCK_SKEW } from '../src/code/listener.ts'
import { portOf, SERVICES } from '../src/code/settings.ts'
import { arrayOf, at, objectAt, objectsOf, manifestTextAt } from '../src/json.ts'
import type { Json } from '../src/json.ts'
import { readDockerfile } from '../src/manifests/dockerfile.ts'
import { containersOf, deployment, environmentOf, podOf, portNamed } from '../src/manifests/pods.ts'
import { nameOf, ofKind, render } from '../src/manifests/render.ts'
import { REPOSITORY } from '@weir/devstack'

const read = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8')

const overlays: Record<'dev' | 'prod', Json[]> = { dev: [], prod: [] }
let admin: AdminPort
beforeAll(async () => {
  overlays.dev = await render(join(REPOSITORY, 'k8s/overlays/dev'))
  overlays.prod = await render(join(REPOSITORY, 'k8s/overlays/prod'))
  admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    registry: createMetrics('any'),
    readiness: () => [],
  })
}, 200_000)
afterAll(() => admin.close())

const answerOf = async (path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${admin.port}${path}`)).status

describe.each(['dev', 'prod'] as const)('overlays/%s', (overlay) => {
  const own = (service: string) => deployment(overlays[overlay], `weir-${service}`)

  describe.each(SERVICES)('%s', (service) => {
    test('listens where its ports say, and is asked for its health at paths that answer', async () => {
      const workload = own(service)
      expect(portNamed(workload, 'api')).toBe(await portOf(service, 'api'))
      expect(portNamed(workload, 'admin')).toBe(await portOf(service, 'admin'))
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
        const { path, port } = objectAt(containersOf(workload)[0], probe, 'httpGet')
        expect([probe, port]).toEqual([probe, 'admin'])
        expect([probe, await answerOf(String(path))]).toEqual([probe, 200])
      }
      expect(manifestTextAt(containersOf(workload)[0], 'readinessProbe', 'httpGet', 'path')).toBe(
        '/health/ready',
      )
    })

    test('has time for what it does after SIGTERM, and ends only when nothing comes any more', async () => {
      const source = await read('packages/kit/src/lifecycle.ts')
      const bound = Number(/timeoutMs = ([\d_]+)/.exec(source)?.[1]?.replaceAll('_', '')) / 1000
      expect(bound).toBe(10)
      const [container] = containersOf(own(service))
      const pause = Number(manifestTextAt(container, 'lifecycle', 'preStop', 'sleep', 'seconds'))
      expect(pause).toBeGreaterThanOrEqual(5)
      const grace = Number(manifestTextAt(podOf(own(service)), 'terminationGracePeriodSeconds'))
      expect(grace).toBeGreaterThanOrEqual(pause + bound + 10)
      const update = objectAt(own(service), 'spec', 'strategy', 'rollingUpdate')
      expect(update).toEqual({ maxSurge: 1, maxUnavailable: 0 })
    })

    test('runs the image of its name', async () => {
      const stages = readDockerfile(await read('Dockerfile')).map(({ name }) => name)
      const image = manifestTextAt(containersOf(own(service))[0], 'image')
      expect(image).toMatch(new RegExp(`(weir-|/weir/)${service}:\\d+\\.\\d+\\.\\d+$`))
      expect(stages).toContain(service)
    })
  })

  test('every pod of ours runs without rights, without a token, and writes nowhere but to its memory', () => {
    for (const workload of ofKind(overlays[overlay], 'Deployment')) {
      const pod = podOf(workload)
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        serviceAccountName: nameOf(workload),
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      for (const container of containersOf(workload)) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        })
        expect(manifestTextAt(container, 'resources', 'limits', 'memory')).not.toBe('')
        expect(manifestTextAt(container, 'resources', 'requests', 'cpu')).not.toBe('')
      }
    }
    for (const account of ofKind(overlays[overlay], 'ServiceAccount'))
      expect(account['automountServiceAccountToken']).toBe(false)
  })

  test('nothing goes in or out but by a named flow', () => {
    const policies = ofKind(overlays[overlay], 'NetworkPolicy')
    const denial = policies.find((policy) => nameOf(policy) === 'deny-all')
    expect(denial?.['spec']).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    for (const policy of policies.filter((each) => each !== denial)) {
      const flows = [
        ...objectsOf(at(policy, 'spec', 'ingress')),
        ...objectsOf(at(policy, 'spec', 'egress')),
      ]
      expect(flows.length).toBeGreaterThan(0)
      for (const flow of flows) {
        expect(arrayOf(flow['from'] ?? flow['to']).length).toBeGreaterThan(0)
        const isAmongKafka = nameOf(policy) === 'kafka-to-kafka'
        expect(isAmongKafka || arrayOf(flow['ports']).length > 0).toBe(true)
      }
    }
  })

  test('only auth reaches the registry, and only auth is told where it is', () => {
    const policies = ofKind(overlays[overlay], 'NetworkPolicy').filter(
      (each) =>
        manifestTextAt(each, 'spec', 'podSelector', 'matchLabels', 'app.kubernetes.io/name') ===
        'weir-registry',
    )
    const flows = policies.flatMap((each) => objectsOf(at(each, 'spec', 'ingress')))
    expect(flows.flatMap((flow) => arrayOf(flow['from']))).toEqual([
      { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'weir-auth' } } },
    ])
    const maps = ofKind(overlays[overlay], 'ConfigMap').filter(
      (each) => manifestTextAt(each, 'data', 'SCHEMA_REGISTRY_URL') !== '',
    )
    expect(maps.map((each) => nameOf(each).replace(/-[a-z0-9]+$/, ''))).toEqual(['weir-auth'])
  })

  test('what names a Service, a port or a workload names one that is there', () => {
    const objects = overlays[overlay]
    const services = new Map(ofKind(objects, 'Service').map((each) => [nameOf(each), each]))
    const workloads = ofKind(objects, 'Deployment').map(nameOf)
    for (const service of services.values()) {
      const selected = manifestTextAt(service, 'spec', 'selector', 'app.kubernetes.io/name')
      for (const port of objectsOf(at(service, 'spec', 'ports')))
        expect(portNamed(deployment(objects, selected), manifestTextAt(port, 'targetPort'))).toBe(
          Number(manifestTextAt(port, 'port')),
        )
    }
    for (const budget of ofKind(objects, 'PodDisruptionBudget'))
      expect(workloads).toContain(
        manifestTextAt(budget, 'spec', 'selector', 'matchLabels', 'app.kubernetes.io/name'),
      )
    const scalers = [
      ...ofKind(objects, 'HorizontalPodAutoscaler'),
      ...ofKind(objects, 'ScaledObject'),
    ]
    for (const scaler of scalers)
      expect(workloads).toContain(manifestTextAt(scaler, 'spec', 'scaleTargetRef', 'name'))
    for (const route of ofKind(objects, 'HTTPRoute'))
      for (const rule of objectsOf(at(route, 'spec', 'rules')))
        for (const backend of objectsOf(rule['backendRefs'])) {
          const ports = objectsOf(
            at(services.get(manifestTextAt(backend, 'name')), 'spec', 'ports'),
          )
          expect(ports.map((port) => manifestTextAt(port, 'port'))).toContain(
            manifestTextAt(backend, 'port'),
          )
        }
    for (const monitor of ofKind(objects, 'ServiceMonitor')) {
      const selected = manifestTextAt(
        monitor,
        'spec',
        'selector',
        'matchLabels',
        'app.kubernetes.io/name',
      )
      const ports = objectsOf(at(services.get(selected), 'spec', 'ports')).map(
        (port) => port['name'],
      )
      for (const endpoint of objectsOf(at(monitor, 'spec', 'endpoints')))
        expect(ports).toContain(endpoint['port'])
    }
  })

  test('no secret is written down, and each that is asked for is made by an operator or told of in k8s/README.md', async () => {
    const objects = overlays[overlay]
    expect(ofKind(objects, 'Secret')).toEqual([])
    const made = [
      ...ofKind(objects, 'KafkaUser').map(nameOf),
      ...ofKind(objects, 'Certificate').map((each) => manifestTextAt(each, 'spec', 'secretName')),
      ...ofKind(objects, 'Kafka').map((each) => `${nameOf(each)}-cluster-ca-cert`),
    ]
    const wanted = ofKind(objects, 'Deployment').flatMap((workload) =>
      objectsOf(podOf(workload)['volumes']).map((volume) =>
        manifestTextAt(volume, 'secret', 'secretName'),
      ),
    )
    const readme = await read('k8s/README.md')
    for (const name of wanted.filter((each) => each !== ''))
      expect([name, made.includes(name) || readme.includes(`secret generic ${name} `)]).toEqual([
        name,
        true,
      ])
  })

  test('Kafka and the registry have the versions that Weir is tested with', async () => {
    const source = await read('tools/devstack/src/programs/distribution.ts')
    const version = (name: string) => new RegExp(`${name}_VERSION = '(.*)'`).exec(source)?.[1]
    const [kafka] = ofKind(overlays[overlay], 'Kafka')
    expect(manifestTextAt(kafka, 'spec', 'kafka', 'version')).toBe(version('KAFKA'))
    expect(manifestTextAt(containersOf(own('registry'))[0], 'image')).toBe(
      `apicurio/apicurio-registry:${version('REGISTRY')}`,
    )
  })

  test("the analysts' listener is set as devstack sets it, for tokens of this issuer, with keys from a Service that answers early", async () => {
    const objects = overlays[overlay]
    const [kafka] = ofKind(objects, 'Kafka')
    const listener = objectsOf(at(kafka, 'spec', 'kafka', 'listeners')).find(
      (each) => each['name'] === 'analysts',
    )
    const settings = objectAt(listener, 'authentication', 'listenerConfig')
    const wanted = (await analystSettings()).filter((name) => name !== CLOCK_SKEW)
    expect(wanted.length).toBeGreaterThan(5)
    expect(new Set(Object.keys(settings))).toEqual(new Set(wanted))

    const env = environmentOf(objects, own('auth'))
    expect(settings['sasl.oauthbearer.expected.issuer']).toBe(env['AUTH_PUBLIC_URL'])
    const url = new URL(String(settings['sasl.oauthbearer.jwks.endpoint.url']))
    const service = ofKind(objects, 'Service').find((each) => nameOf(each) === url.hostname)
    expect(at(service, 'spec', 'publishNotReadyAddresses')).toBe(true)
    expect(url.port).toBe(String(await portOf('auth', 'api')))
    expect(await read('services/auth/src/api/routes.ts')).toContain(`'${url.pathname}'`)
    expect(url.protocol).toBe(env['TLS_CERT_FILE'] === undefined ? 'http:' : 'https:')
    const allowed = objectsOf(at(kafka, 'spec', 'kafka', 'jvmOptions', 'javaSystemProperties'))
    expect(allowed.map((each) => each['value'])).toEqual([url.href])
  })
})

test('in production Kafka keeps what was acknowledged: three copies, two in sync, none unclean', () => {
  const [kafka] = ofKind(overlays.prod, 'Kafka')
  expect(objectAt(kafka, 'spec', 'kafka', 'config')).toMatchObject({
    'default.replication.factor': 3,
    'min.insync.replicas': 2,
    'unclean.leader.election.enable': false,
    'auto.create.topics.enable': false,
    'transaction.state.log.replication.factor': 3,
    'transaction.state.log.min.isr': 2,
    'offsets.topic.replication.factor': 3,
  })
})

test('in production the pods of a service are never all in one zone', () => {
  for (const workload of ofKind(overlays.prod, 'Deployment')) {
    const [first] = objectsOf(podOf(workload)['topologySpreadConstraints'])
    expect(first).toMatchObject({
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
    })
  }
})
