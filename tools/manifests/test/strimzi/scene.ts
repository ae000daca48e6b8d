// Imitates what Strimzi, cert-manager and the cluster's DNS give overlays/prod, on one machine: certificates of three
// CAs, secrets as folders of files, and addresses. One node replaces six, so settings that need three brokers are
// reduced to one.
import { copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { REPOSITORY, freePort, makeAuthority } from '@weir/devstack'
import type { Authority, CertificateFiles } from '@weir/devstack'

import { arrayOf, at, objectAt } from '../../src/json.ts'
import type { Json } from '../../src/json.ts'
import { deployment, environmentOf } from '../../src/manifests/pods.ts'
import { nameOf, ofKind, render } from '../../src/manifests/render.ts'
import { strimziMounts } from '../../src/manifests/strimzi.ts'
import type { StrimziNode } from '../../src/manifests/strimzi.ts'

export type Scene = {
  readonly folder: string
  /** The Kafka resource, with this machine's paths and address of auth. */
  readonly kafka: Json
  readonly node: StrimziNode
  readonly authPort: number
  /** The CA of the services' own certificates. */
  readonly ca: string
  /** The CA of Kafka's certificates. */
  readonly kafkaCa: string
  /** The overlay's variables for a service, with this machine's files and addresses. */
  environment(service: 'auth' | 'ingest'): Record<string, string>
  close(): Promise<void>
}

type Authorities = Readonly<Record<'cluster' | 'clients' | 'weir', Authority>>

const LOOPBACK = '127.0.0.1'
const NODE = 'weir-brokers-0'

export async function makeScene(): Promise<Scene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'weir-strimzi-')))
  const objects = await render(join(REPOSITORY, 'k8s/overlays/prod'))
  const authorities = {
    cluster: await makeAuthority(folder, 'cluster'),
    clients: await makeAuthority(folder, 'clients'),
    weir: await makeAuthority(folder, 'weir'),
  }
  await putSecrets(join(folder, 'secrets'), objects, authorities)
  const ports = await portsFor([9090, 9091, 9093, 9094])
  const authPort = await freePort()
  const [rendered = {}] = ofKind(objects, 'Kafka')
  const kafka = await onThisMachine(rendered, { folder, authPort })
  const node: StrimziNode = {
    id: 0,
    name: NODE,
    address: LOOPBACK,
    portOf: (port) => ports.get(port) ?? port,
    logFolder: join(folder, 'kafka-log0'),
    secretsFolder: join(folder, 'secrets'),
  }
  return {
    folder,
    kafka,
    node,
    authPort,
    ca: authorities.weir.ca,
    kafkaCa: authorities.cluster.ca,
    environment: (service) => ({
      ...environmentOf(objects, deployment(objects, `weir-${service}`)),
      ...placesOf(folder, service),
      KAFKA_BROKERS: `${LOOPBACK}:${node.portOf(9093)}`,
    }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function portsFor(wanted: readonly number[]): Promise<Map<number, number>> {
  const ports = new Map<number, number>()
  for (const port of wanted) ports.set(port, await freePort())
  return ports
}

/** Writes the secrets of a Kafka pod, of the users auth and ingest, and of the services' own ports. */
async function putSecrets(
  folder: string,
  objects: readonly Json[],
  { cluster, clients, weir }: Authorities,
): Promise<void> {
  const here = [`IP:${LOOPBACK}`]
  const put = async (secret: string, key: string, file: string): Promise<void> => {
    await mkdir(join(folder, secret), { recursive: true })
    await copyFile(file, join(folder, secret, key))
  }
  const putPair = async (secret: string, name: string, pair: CertificateFiles): Promise<void> => {
    await put(secret, `${name}.crt`, pair.cert)
    await put(secret, `${name}.key`, pair.key)
  }
  const subject = '/O=io.strimzi/CN=weir-kafka'
  await putPair(NODE, NODE, await cluster.issue(NODE, here, 1, subject))
  await put('weir-trustbundle', 'cluster-ca.crt', cluster.ca)
  await put('weir-trustbundle', 'clients-ca.crt', clients.ca)
  await put('weir-cluster-ca-cert', 'ca.crt', cluster.ca)
  await put('weir-clients-ca-cert', 'ca.crt', clients.ca)
  for (const service of ['auth', 'ingest']) {
    const user = `weir-${service}`
    await putPair(user, 'user', await clients.issue(user, [`DNS:${user}`]))
    const certificate = ofKind(objects, 'Certificate').find(
      (each) => nameOf(each) === `${user}-tls`,
    )
    const names = arrayOf(at(certificate, 'spec', 'dnsNames')).map((name) => `DNS:${String(name)}`)
    await putPair(`${user}-tls`, 'tls', await weir.issue(`${user}-tls`, [...names, ...here]))
    await put(`${user}-tls`, 'ca.crt', weir.ca)
  }
}

/** Puts the volumes in `folder`, changes auth's port, and gives auth all rights instead of its KafkaUser's rights. */
async function onThisMachine(
  kafka: Json,
  { folder, authPort }: { folder: string; authPort: number },
): Promise<Json> {
  let text = JSON.stringify(kafka).replaceAll(':8081/', `:${authPort}/`)
  for (const mount of strimziMounts(kafka)) {
    for (const [key, path] of mount.files) {
      const file = join(folder, mount.path, path)
      await mkdir(dirname(file), { recursive: true })
      await copyFile(join(folder, 'secrets', mount.secret, key), file)
    }
    text = text.replaceAll(`${mount.path}/`, `${folder}${mount.path}/`)
  }
  const own: Json = JSON.parse(text)
  const spec = objectAt(own, 'spec', 'kafka')
  const superUsers = ['CN=weir-auth']
  const config = objectAt(spec, 'config')
  for (const key of Object.keys(config))
    if (/replication\.factor$|min\.i(sr|nsync\.replicas)$/.test(key)) config[key] = 1
  Object.assign(spec, { authorization: { ...objectAt(spec, 'authorization'), superUsers } })
  return own
}

function placesOf(folder: string, service: string): Record<string, string> {
  const secret = (name: string, key: string): string => join(folder, 'secrets', name, key)
  return {
    KAFKA_TLS_CA_FILE: secret('weir-cluster-ca-cert', 'ca.crt'),
    KAFKA_TLS_CERT_FILE: secret(`weir-${service}`, 'user.crt'),
    KAFKA_TLS_KEY_FILE: secret(`weir-${service}`, 'user.key'),
    TLS_CERT_FILE: secret(`weir-${service}-tls`, 'tls.crt'),
    TLS_KEY_FILE: secret(`weir-${service}-tls`, 'tls.key'),
  }
}
