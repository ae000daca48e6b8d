// Formats the sent and received data as the demo's lines on the terminal. Pure functions.
import { isJsonObject } from './api.ts'
import type { DemoAccount } from './demo-account.ts'

export type PrintedWalk = {
  schemaId: string
  sent: Record<string, unknown>
  seen: ReadonlyMap<string, Record<string, unknown>>
  /** The levels of the contract's personal fields, by path. */
  levels: ReadonlyMap<string, number>
}

export function walkText(demo: DemoAccount, walk: PrintedWalk): string {
  const parts = [
    section(
      `One ${walk.schemaId} event as it was sent, POST ${demo.ingestUrl}/event:`,
      walk.sent,
      () => '',
    ),
  ]
  for (const { name, kind, level } of demo.streams) {
    const event = walk.seen.get(name)
    if (event === undefined) continue
    const title =
      kind === 'input'
        ? `As stored in the input stream ${name}, its personal fields encrypted:`
        : `As derived into ${name}, which decrypts level ${level} and below:`
    parts.push(section(title, event, (path, value) => mark(walk, path, value)))
  }
  return parts.join('\n')
}

export function nextCommands(demo: DemoAccount): string {
  return `Continue by hand, in another terminal (credentials are in .weir/demo.json):

  npx @weir/cli stream list
  npx @weir/cli listen demo-1
  npx @weir/cli send demo --schema clickstream -f examples/events/clickstream.json

or in the console, ${demo.outputUrl}/console/, with the apiKey of .weir/demo.json; or with curl:

  TOKEN=$(npx @weir/cli token demo)
  curl -i ${demo.ingestUrl}/event -H "Authorization: Bearer $TOKEN" \\
    -H 'Svc-Schema-Id: clickstream' -d @examples/events/clickstream.json

Ctrl-C ends everything; .weir/ keeps the data.`
}

/** A field with a level counts as decrypted if its shown value equals the sent one. */
function mark({ levels, sent }: PrintedWalk, path: string, value: unknown): string {
  const level = levels.get(path)
  if (level === undefined) return ''
  return `   <- level ${level}, ${valueAt(sent, path) === value ? 'decrypted' : 'encrypted'}`
}

function section(
  title: string,
  event: Record<string, unknown>,
  note: (path: string, value: unknown) => string,
): string {
  return `${title}\n${objectLines(event, '', '  ', note).join('\n')}\n`
}

function objectLines(
  object: Record<string, unknown>,
  path: string,
  indent: string,
  note: (path: string, value: unknown) => string,
): string[] {
  const entries = Object.entries(object)
  const lines = entries.flatMap(([name, value], index) => {
    const comma = index < entries.length - 1 ? ',' : ''
    const here = path === '' ? name : `${path}/${name}`
    const key = `${indent}  ${JSON.stringify(name)}: `
    if (!isJsonObject(value)) return [`${key}${JSON.stringify(value)}${comma}${note(here, value)}`]
    const [first = '', ...rest] = objectLines(value, here, `${indent}  `, note)
    return [key + first.trimStart(), ...rest.slice(0, -1), `${rest.at(-1) ?? ''}${comma}`]
  })
  return [`${indent}{`, ...lines, `${indent}}`]
}

function valueAt(event: Record<string, unknown>, path: string): unknown {
  let value: unknown = event
  for (const name of path.split('/')) value = isJsonObject(value) ? value[name] : undefined
  return value
}
