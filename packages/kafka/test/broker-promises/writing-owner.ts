// The process that stopped-owner.integration.test.ts suspends. It writes single records until one is refused, and
// prints the error.
import { openCluster } from './cluster.ts'
import { batchOf, produceOn } from './log.ts'

const [brokers = '', topic = '', id = '', epoch = ''] = process.argv.slice(2)
const cluster = openCluster(brokers.split(','))
const place = { topic, partition: 0 }
const producer = { id: BigInt(id), epoch: Number(epoch) }
const connection = await cluster.leader(place)

let error = 'NONE'
for (let sequence = 0; error === 'NONE'; sequence++) {
  const batch = batchOf(['old'], { producer, sequence })
  error = (await produceOn(connection, { ...place, batch })).error
}
process.stdout.write(error)
await cluster.close()
