// Types of the parts of kafkajs 2.2.4 that it ships but doesn't export, as far as this package uses them:
// its public admin and producer can't say everything that exactly-once work needs. Nothing outside
// packages/kafka may import these modules; a new kafkajs version means reading this file again.

declare module 'kafkajs/src/cluster/index.js' {
  import type { ISocketFactory, KafkaConfig, Logger, RetryOptions } from 'kafkajs'
  import type { Broker, ClusterMetadata } from 'kafkajs/src/broker/index.js'

  type Options = {
    logger: Logger
    socketFactory: ISocketFactory
    brokers: string[]
    ssl?: KafkaConfig['ssl'] | undefined
    sasl?: KafkaConfig['sasl'] | undefined
    clientId: string
    connectionTimeout: number
    requestTimeout: number
    enforceRequestTimeout: boolean
    metadataMaxAge: number
    retry: RetryOptions
    allowAutoTopicCreation: boolean
    maxInFlightRequests: number | null
    isolationLevel?: number
    offsets: Map<string, unknown>
    instrumentationEmitter?: unknown
  }

  class Cluster {
    constructor(options: Options)
    targetTopics: Set<string>
    brokerPool: {
      metadata: ClusterMetadata | null
      findConnectedBroker(): Promise<Broker>
    }
    connect(): Promise<void>
    disconnect(): Promise<void>
    isConnected(): boolean
    refreshMetadata(): Promise<void>
    refreshMetadataIfNecessary(): Promise<void>
    addMultipleTargetTopics(topics: string[]): Promise<void>
    findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
    removeBroker(address: { host: string; port: number }): void
    findBroker(node: { nodeId: string | number }): Promise<Broker>
    getNodeIds(): string[]
    findControllerBroker(): Promise<Broker>
    findGroupCoordinator(request: { groupId: string; coordinatorType?: 0 | 1 }): Promise<Broker>
  }
  export = Cluster
}

declare module 'kafkajs/src/broker/index.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js'

  export type ProtocolCall<T> = {
    request: {
      apiKey: number
      apiVersion: number
      apiName: string
      encode(): Promise<Encoder>
    }
    response: { decode(payload: Buffer): Promise<unknown>; parse(decoded: unknown): Promise<T> }
  }
  type TransactionIdentity = {
    transactionalId: string
    producerId: string
    producerEpoch: number
  }
  export type ClusterMetadata = {
    brokers: { nodeId: number; host: string; port: number }[]
    controllerId: number
    topicMetadata: {
      topic: string
      partitionMetadata: { partitionId: number; leader: number; replicas: number[] }[]
    }[]
  }
  type Partition = { partition: number }
  type AclEntry = {
    resourceType: number
    resourceName: string
    resourcePatternType: number
    principal: string
    host: string
    operation: number
    permissionType: number
  }
  /** Null matches all. */
  type AclFilter = Omit<AclEntry, 'resourceName' | 'principal' | 'host'> & {
    resourceName: string | null
    principal: string | null
    host: string | null
  }
  export type Broker = {
    nodeId: number
    isConnected(): boolean
    metadata(topics: string[]): Promise<ClusterMetadata>
    listOffsets(request: {
      isolationLevel: 0 | 1
      topics: { topic: string; partitions: (Partition & { timestamp: number })[] }[]
    }): Promise<{
      responses: { topic: string; partitions: (Partition & { offset: string })[] }[]
    }>
    offsetFetch(request: {
      groupId: string
      topics: { topic: string; partitions: Partition[] }[]
    }): Promise<{
      responses: { topic: string; partitions: (Partition & { offset: string })[] }[]
    }>
    createTopics(request: {
      topics: {
        topic: string
        numPartitions: number
        replicationFactor: number
        configEntries: { name: string; value: string }[]
      }[]
      timeout: number
    }): Promise<unknown>
    createAcls(request: { acl: AclEntry[] }): Promise<unknown>
    describeAcls(filter: AclFilter): Promise<{
      resources: {
        resourceType: number
        resourceName: string
        resourcePatternType: number
        acls: { principal: string; host: string; operation: number; permissionType: number }[]
      }[]
    }>
    deleteAcls(request: { filters: AclFilter[] }): Promise<unknown>
    deleteTopics(request: { topics: string[]; timeout: number }): Promise<unknown>
    deleteGroups(groupIds: string[]): Promise<{ results: { groupId: string; error?: Error }[] }>
    leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>
    describeGroups(request: { groupIds: string[] }): Promise<{
      groups: { groupId: string; state: string; members: { memberId: string }[] }[]
    }>
    alterConfigs(request: {
      resources: { type: number; name: string; configEntries: { name: string; value: string }[] }[]
    }): Promise<unknown>
    describeConfigs(request: {
      resources: { type: number; name: string; configNames: string[] }[]
    }): Promise<{
      resources: {
        resourceName: string
        configEntries: { configName: string; configValue: string | null; configSource?: number }[]
      }[]
    }>
    initProducerId(request: {
      transactionalId: string
      transactionTimeout: number
    }): Promise<{ producerId: string; producerEpoch: number }>
    addPartitionsToTxn(
      request: TransactionIdentity & { topics: { topic: string; partitions: number[] }[] },
    ): Promise<unknown>
    addOffsetsToTxn(request: TransactionIdentity & { groupId: string }): Promise<unknown>
    txnOffsetCommit(
      request: TransactionIdentity & {
        groupId: string
        topics: { topic: string; partitions: (Partition & { offset: string })[] }[]
      },
    ): Promise<unknown>
    endTxn(request: TransactionIdentity & { transactionResult: boolean }): Promise<unknown>
    /** Takes any request that kafkajs's protocol folder can describe. */
    connectionPool: { send<T>(call: ProtocolCall<T>): Promise<T> }
    fetch(request: {
      isolationLevel: 0 | 1
      maxWaitTime: number
      minBytes: number
      maxBytes: number
      topics: {
        topic: string
        partitions: { partition: number; fetchOffset: string; maxBytes: number }[]
      }[]
    }): Promise<{
      responses: { topicName: string; partitions: FetchedPartition[] }[]
    }>
  }
  export type FetchedPartition = {
    partition: number
    highWatermark: string
    lastStableOffset: string
    abortedTransactions: { producerId: string; firstOffset: string }[]
    messages: FetchedMessage[]
  }
  export type FetchedMessage = {
    offset: string
    timestamp: string
    key: Buffer | null
    value: Buffer | null
    headers: Record<string, Buffer | Buffer[] | undefined>
    isControlRecord: boolean
    batchContext: { producerId: string; inTransaction: boolean }
  }
}

declare module 'kafkajs/src/protocol/requests/produce/v7/response.js' {
  const response: {
    decode(payload: Buffer): Promise<unknown>
    /** Throws the error of the first partition that has one. */
    parse(decoded: unknown): Promise<{
      topics: { partitions: { partition: number; baseOffset: string }[] }[]
    }>
  }
  export = response
}

declare module 'kafkajs/src/loggers/index.js' {
  import type { Logger, logCreator, logLevel } from 'kafkajs'

  export function createLogger(options: { level: logLevel; logCreator: logCreator }): Logger
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  class RequestQueue {
    pending: unknown[]
    throttledUntil: number
    throttleCheckTimeoutId: NodeJS.Timeout | null
    checkPendingRequests(): void
    scheduleCheckPendingRequests(): void
  }
  export = RequestQueue
}

declare module 'kafkajs/src/protocol/requests/index.js' {
  type Call = { request: { encode(): Promise<unknown> }; response: unknown }
  export const requests: {
    Metadata: {
      versions: string[]
      protocol(options: { version: number }): (request: { topics: string[] }) => Call
    }
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  class Encoder {
    readonly buffer: Buffer
    writeArray(items: string[]): this
    /** The number of bytes before them. */
    writeBytes(bytes: Buffer): this
    writeBoolean(value: boolean): this
    writeBuffer(bytes: Buffer): this
    writeInt16(value: number): this
    writeInt32(value: number): this
    writeString(text: string | null): this
  }
  export = Encoder
}

declare module 'kafkajs/src/broker/saslAuthenticator/plain.js' {
  import type { AuthenticationProviderArgs, Authenticator } from 'kafkajs'

  function plain(sasl: {
    username: string
    password: string
  }): (args: AuthenticationProviderArgs) => Authenticator
  export = plain
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram256.js' {
  import type { AuthenticationProviderArgs, Authenticator } from 'kafkajs'

  function scram256(sasl: {
    username: string
    password: string
  }): (args: AuthenticationProviderArgs) => Authenticator
  export = scram256
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram512.js' {
  import type { AuthenticationProviderArgs, Authenticator } from 'kafkajs'

  function scram512(sasl: {
    username: string
    password: string
  }): (args: AuthenticationProviderArgs) => Authenticator
  export = scram512
}
