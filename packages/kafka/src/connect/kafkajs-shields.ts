// Two faults of kafkajs 2.2.4 that can only be put right inside it, for the whole process. Imported for its
// effect by client.ts and by nothing else. Each has a test in test/kafkajs-shields.
import Encoder from 'kafkajs/src/protocol/encoder.js'
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'
import { requests } from 'kafkajs/src/protocol/requests/index.js'

const RECHECK_MS = 10
const METADATA_VERSION_WITH_AUTO_CREATION = 4

/**
 * After every answer kafkajs asks for a timer whose delay is negative, on which Node ≥ 23 warns each time.
 * A timer is only of use while requests wait: those that come during throttling ask for one themselves.
 */
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.throttleCheckTimeoutId || this.pending.length === 0) return
  const throttledMs = this.throttledUntil - Date.now()
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null
      this.checkPendingRequests()
    },
    throttledMs > 0 ? throttledMs : RECHECK_MS,
  )
}

/**
 * A client that knows no topic yet asks for the metadata of all topics: with thousands of streams these are
 * megabytes at each new producer, and one topic that is just being made or deleted fails the whole answer.
 * Here no topic means no topic; the brokers come with every answer.
 */
const metadataProtocol = requests.Metadata.protocol
requests.Metadata.protocol = ({ version }) => {
  const metadata = metadataProtocol({ version })
  return (request) => {
    const call = metadata(request)
    if (request.topics.length > 0) return call
    return { ...call, request: { ...call.request, encode: () => encodeNoTopics(version) } }
  }
}

function encodeNoTopics(version: number): Promise<Encoder> {
  const encoder = new Encoder().writeArray([])
  if (version >= METADATA_VERSION_WITH_AUTO_CREATION) encoder.writeBoolean(false)
  return Promise.resolve(encoder)
}
