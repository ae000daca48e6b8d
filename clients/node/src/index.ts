// Weir's driver for Node. It sends events over HTTP/2, watches a stream over WebSocket, and reads topics with Kafka's
// protocol (docs/wire-format.md). It imports nothing from the rest of this repository.
export { createProducer } from './sending/producer.ts'
export type { Producer } from './sending/producer.ts'
export type { BufferSize, CloseOptions, ProducerOptions, Retry } from './sending/options.ts'
export { loadContract } from './contract.ts'
export type { Contract, LoadContractOptions } from './contract.ts'
export { ReadError, RejectedError, UndeliveredError } from './errors.ts'
export type { ReadErrorCode, RejectionCode, SendError, UndeliveredCode } from './errors.ts'
export { createDecrypter } from './decrypting/decrypter.ts'
export type { Decrypter } from './decrypting/decrypter.ts'
export type { EncryptedEvent } from './decrypting/read-event.ts'
export { Encrypted } from './decrypting/encrypted.ts'
export type { Decrypted, EncryptedReason } from './decrypting/encrypted.ts'
export { createListener } from './listening/listener.ts'
export type { Listener } from './listening/listener.ts'
export type { Gap, ListenerOptions, Reconnect } from './listening/options.ts'
export { openTopic } from './reading/topic.ts'
export type { OpenTopic } from './reading/topic.ts'
export type { Bytes, TopicRecord } from './reading/record.ts'
export type {
  ConnectionSettings,
  StopSignal,
  TlsOptions,
  TopicOptions,
  TopicSpan,
} from './reading/options.ts'
export { createTokenSource } from './token-source.ts'
export type { CredentialsOptions } from './credentials.ts'
