// The options that each benchmark part gets. Types only.

export type PartOptions = {
  runs: number
  warmUpMs: number
  measuredMs: number
  /** Runs only results whose names begin with this. */
  only: string
  /** The number of events in the topic that is derived. */
  events: number
  /** The number of people to erase. */
  erasures: number
  /** The number of input streams; each part has its own default. */
  streams: number | undefined
  /** Kafka's process. It shares a core with the load, except while latencies are measured. */
  brokerPid: number | undefined
  /** The folder for CPU profiles of the measured processes. */
  profileFolder: string | undefined
  log: (line: string) => void
}
