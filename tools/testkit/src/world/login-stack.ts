// Starts a broker for one test, with logins and an authorizer. On one listener every client logs in under its own name,
// and has the rights of its ACLs. On the other listener, for the test itself, all clients have all rights.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY, freePort } from '@weir/devstack'
import { openOwnStack } from './own-stack.ts'
import type { OwnStack } from './own-stack.ts'
import type { ServiceEnv } from './services.ts'

export type LoginStack = OwnStack & {
  /** Returns the settings with which a service logs in as this user. */
  loginOf(user: string): ServiceEnv
  /** Returns the same settings for librdkafka. */
  clientOf(user: string): Readonly<Record<string, string>>
  addAcls(acls: readonly RawAcl[]): Promise<void>
}

/** An ACL in confluent_kafka's terms. */
export type RawAcl = {
  readonly principal: string
  readonly permission: string
  readonly type: string
  readonly name: string
  readonly pattern: string
  readonly operation: string
}

const password = 'not-a-secret'
const module = 'org.apache.kafka.common.security.plain.PlainLoginModule'

export async function openLoginStack(
  name: string,
  users: readonly string[],
  superUsers: readonly string[] = [],
): Promise<LoginStack> {
  const [kafka, controller, login] = [await freePort(), await freePort(), await freePort()]
  const passwords = users.map((user) => `user_${user}="${password}"`).join(' ')
  const settings = {
    listeners: `PLAIN://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller},LOGIN://127.0.0.1:${login}`,
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_PLAINTEXT',
    'listener.name.login.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.login.plain.sasl.jaas.config': `${module} required ${passwords};`,
    'super.users': ['ANONYMOUS', ...superUsers].map((user) => `User:${user}`).join(';'),
  }
  const own = await openOwnStack(name, settings, { kafka, controller })
  const passwordFile = join(own.folder, 'password')
  await writeFile(passwordFile, password)
  return {
    ...own,
    loginOf: (user) => ({
      KAFKA_BROKERS: `127.0.0.1:${login}`,
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD_FILE: passwordFile,
    }),
    clientOf: (user) => ({
      'bootstrap.servers': `127.0.0.1:${login}`,
      'security.protocol': 'sasl_plaintext',
      'sasl.mechanisms': 'PLAIN',
      'sasl.username': user,
      'sasl.password': password,
    }),
    addAcls: (acls) => addAcls(own.brokers, acls),
  }
}

async function addAcls(brokers: string, acls: readonly RawAcl[]): Promise<void> {
  const python = join(REPOSITORY, '.weir/venv/bin/python')
  await new Promise<void>((resolve, reject) => {
    const child = execFile(python, [join(import.meta.dirname, 'add_acls.py'), brokers], (error) =>
      error === null ? resolve() : reject(error),
    )
    child.stdin?.end(JSON.stringify(acls))
  })
}
