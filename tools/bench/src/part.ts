// What every part of the benchmark is told. Types only.

export type PartOptions = {
  runs: number
  warmUpMs: number
  measuredMs: number
  /** Only results whose names begin so. */
  only: string
  /** How many events lie in the topic that is derived. */
  events: number
  /** How many people are forgotten. */
  erasures: number
  /** How many input streams there are; each part knows how many it can bring about in ten minutes. */
  streams: number | undefined
  /** Kafka's, which shares a core with the load. */
  brokerPid: number | undefined
  /** CPU profiles of what is measured go to this folder. */
  profileFolder: string | undefined
  log: (line: string) => void
}
