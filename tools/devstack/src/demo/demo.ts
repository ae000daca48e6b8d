// The last step of `npm start`: creates the demo account, and sends one event through every stage.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, objectOf } from './api.ts'
import { ensureDemo } from './demo-account.ts'
import type { Addresses } from './demo-account.ts'
import { nextCommands, walkText } from './print-event.ts'
import { sendAndWatch } from './show-event.ts'

const schemaId = 'clickstream'

export async function runDemo(options: {
  addresses: Addresses
  platformKey: string
  /** The data folder, `.weir`. */
  folder: string
  /** The repository's examples. */
  examplesFolder: string
  print: (text: string) => void
}): Promise<void> {
  const { addresses, platformKey, folder, examplesFolder, print } = options
  const contractsFolder = join(examplesFolder, 'contracts')
  const demo = await ensureDemo({
    addresses,
    platformKey,
    file: join(folder, 'demo.json'),
    contractsFolder,
  })
  const body = await readFile(join(examplesFolder, 'events', `${schemaId}.json`), 'utf8')
  const contract = objectOf(await readFile(join(contractsFolder, `${schemaId}.json`), 'utf8'))
  const seen = await sendAndWatch(demo, { schemaId, body })
  const levels = new Map(
    Object.entries(isJsonObject(contract['pii_fields']) ? contract['pii_fields'] : {}).map(
      ([path, level]) => [path, Number(level)] as const,
    ),
  )
  print(walkText(demo, { schemaId, sent: objectOf(body), seen, levels }))
  print(nextCommands(demo))
}
