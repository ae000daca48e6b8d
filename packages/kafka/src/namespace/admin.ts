// Administration of brokers and ACLs. Callers use names without the handle's prefix.
import { createAcls } from '../admin/acls.ts'
import type { Acl, Acls } from '../admin/acls.ts'
import { createAdmin } from '../admin/admin.ts'
import type { Admin, AdminOptions } from '../admin/admin.ts'
import type { Kafka } from '../connect/internals.ts'
import { namesOf, prefixOf } from './prefix.ts'
import type { Names } from './prefix.ts'

export function createNamedAdmin(kafka: Kafka, options?: AdminOptions): Admin {
  const names = namesOf(kafka)
  const { topics, offsets, groups, configs, close } = createAdmin(kafka, options)
  const { full } = names
  return {
    topics: {
      create: (spec) => topics.create({ ...spec, topic: full(spec.topic) }),
      delete: (topic) => topics.delete(full(topic)),
      exists: (topic) => topics.exists(full(topic)),
      isEmpty: (topic) => topics.isEmpty(full(topic)),
      partitionCount: (topic) => topics.partitionCount(full(topic)),
    },
    offsets: {
      earliest: (topic) => offsets.earliest(full(topic)),
      ends: (topic, how) => offsets.ends(full(topic), how),
      at: (topic, timestampMs) => offsets.at(full(topic), timestampMs),
      deleteBefore: (topic, before) => offsets.deleteBefore(full(topic), before),
    },
    groups: {
      committedOffsets: (groupId, topic) => groups.committedOffsets(full(groupId), full(topic)),
      delete: (groupId) => groups.delete(full(groupId)),
      fence: (transactionalId) => groups.fence(full(transactionalId)),
    },
    configs: configsUnder(names, configs),
    close,
  }
}

const configsUnder = ({ full, own }: Names, configs: Admin['configs']): Admin['configs'] => ({
  topic: (topic) => configs.topic(full(topic)),
  async topics(topics) {
    const found = await configs.topics(topics.map(full))
    return new Map([...found].map(([name, settings]) => [own(name) ?? name, settings]))
  },
  setTopic: (topic, config) => configs.setTopic(full(topic), config),
  brokers: configs.brokers,
})

export function createNamedAcls(kafka: Kafka): Acls {
  const { full, own } = namesOf(kafka)
  const acls = createAcls(kafka)
  const toFull = (acl: Acl): Acl => ({ ...acl, name: full(acl.name) })

  async function list(): Promise<Acl[]> {
    return (await acls.list()).flatMap((acl) => {
      const name = own(acl.name)
      return name === undefined ? [] : [{ ...acl, name }]
    })
  }

  return {
    list,
    allow: (some) => acls.allow(some.map(toFull)),
    revoke: (some) => acls.revoke(some.map(toFull)),
    async disallow(principals) {
      if (prefixOf(kafka) === '') return acls.disallow(principals)
      // Revokes only ACLs of this name space, because another Weir, restored from the same backup, may have the same
      // principals.
      const found = (await list()).filter(({ principal }) => principals.includes(principal))
      await acls.revoke(found.map(toFull))
    },
    close: acls.close,
  }
}
