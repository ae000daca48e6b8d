// An attacker who controls a service, and uses its file of KEKs and its login to Kafka.
import { spawn } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'

import { openKeys } from '../../../src/world/open-keys.ts'
import type { OpenedKeys } from '../../../src/world/open-keys.ts'
import { REPOSITORY } from '@weir/devstack'

/** The contents of a service's pod. */
export type Pod = {
  readonly kekLines: string
  /** Settings of librdkafka. */
  readonly login: Readonly<Record<string, string>>
}

export type Attempts = {
  readonly read?: readonly string[]
  readonly produce: readonly { readonly topic: string; readonly transactionalId?: string }[]
  readonly fence: readonly string[]
}

/** The result of each attempt: null for a success, otherwise Kafka's name of the error. */
export type Outcome = {
  readonly produced: Readonly<Record<string, string | null>>
  readonly fenced: Readonly<Record<string, string | null>>
  /** Keys and values in base64. */
  readonly read: Readonly<Record<string, string | readonly [string, string | null][]>>
}

/** Makes the attempts one after the other, in a separate process. */
export async function tryAtKafka(pod: Pod, attempts: Attempts): Promise<Outcome> {
  const python = join(REPOSITORY, '.weir/venv/bin/python')
  const child = spawn(python, [join(import.meta.dirname, 'attacker.py')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const [said, complaints]: Buffer[][] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => said?.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => complaints?.push(chunk))
  const settings = { ...pod.login, 'group.id': 'attack' }
  child.stdin.end(JSON.stringify({ read: [], ...attempts, settings }))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(Buffer.concat(complaints ?? []).toString('utf8'))
  return JSON.parse(Buffer.concat(said ?? []).toString('utf8'))
}

/** Returns every record of weir.keys, decrypted as far as the pod's KEKs permit. */
export function stealKeys(pod: Pod): Promise<OpenedKeys> {
  const read = async (topic: string) => {
    const said = (await tryAtKafka(pod, { produce: [], fence: [], read: [topic] })).read[topic]
    if (typeof said !== 'object') throw new Error(`${topic} was not read: ${said}`)
    return said.map(([key, value]) => ({
      key: Buffer.from(key, 'base64'),
      value: value === null ? null : Buffer.from(value, 'base64'),
    }))
  }
  return openKeys({ read }, pod.kekLines)
}

type Signer = { readonly kid: string; readonly key: KeyObject }

/** Returns a stolen private key. If no key was stolen, returns a new key with the id `kid`. */
function signerOf({ parts }: OpenedKeys, kind: '_signing' | '_receipt', kid: string): Signer {
  for (const [name, { plain }] of parts)
    if (plain !== undefined && name.startsWith(`${kind}/`))
      return { kid: name.slice(kind.length + 1), key: createPrivateKey(plain) }
  const own =
    kind === '_signing'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, key: own.privateKey }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(head: object, claims: object, { kid, key }: Signer): string {
  const text = `${encoded({ ...head, kid })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

export function forgeToken(keys: OpenedKeys, kid: string, about: object): string {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: 'http://auth.test', aud: 'weir', iat, exp: iat + 600, jti: randomUUID() }
  return signed(
    { alg: 'RS256', typ: 'JWT' },
    { ...claims, ...about },
    signerOf(keys, '_signing', kid),
  )
}

export function forgeReceipt(keys: OpenedKeys, kid: string): string {
  const head = { alg: 'ES256', typ: 'weir-receipt+jws' }
  return signed(head, { subjects: [], claim: 'forged' }, signerOf(keys, '_receipt', kid))
}
