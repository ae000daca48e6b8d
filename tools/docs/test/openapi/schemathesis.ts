// Runs schemathesis, which generates requests from an OpenAPI document and finds responses that violate the document.
// tools/testkit/ci/prepare.sh installs this program.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

/** Settings for operations whose paths match. The first match counts. */
export type About = {
  readonly paths: string
  readonly method?: string
  readonly bearer?: string
  readonly parameters?: Readonly<Record<string, string>>
  /** The service may refuse input that the document permits, because JSON Schema can't express every constraint. */
  readonly mayRefuse?: boolean
}

export type Search = {
  readonly url: string
  readonly bearer?: string | undefined
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly about?: readonly About[] | undefined
  /** A pattern of the paths to try. */
  readonly paths: string
  readonly phases: string
  readonly examplesMax: number
}

/** Returns the program's output if it found something, otherwise an empty text. */
export async function findingsOf(search: Search): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-openapi-'))
  const settings = join(folder, 'schemathesis.toml')
  await writeFile(settings, settingsOf(search))
  const args = ['--config-file', settings, 'run', `${search.url}/openapi.json`]
  const bounds = ['--phases', search.phases, '-n', String(search.examplesMax), '--seed', '1']
  // One worker, because Python 3.11 crashes when two threads parse Python concurrently, as hypothesis does (CPython
  // issue 106905).
  const what = ['--include-path-regex', search.paths, '--workers', '1', '--warnings', 'off']
  const program = join(REPOSITORY, '.weir', 'schemathesis', 'bin', 'schemathesis')
  try {
    await run(program, [...args, ...bounds, ...what], { cwd: folder, maxBuffer: 16 * 1024 * 1024 })
    return ''
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'stdout' in error && error.stdout !== '')
      return String(error.stdout)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function settingsOf({ bearer, parameters = {}, about = [] }: Search): string {
  const lines = [
    'request-timeout = 60',
    ...headersOf(bearer),
    `parameters = ${inlineOf(inPath(parameters))}`,
    // Wrong keys get 429 after ten attempts, but this check expects 401 each time.
    'checks.ignored_auth.enabled = false',
    '[generation]',
    'database = "none"',
  ]
  for (const each of about)
    lines.push(
      '[[operations]]',
      `include-path-regex = '${each.paths}'`,
      ...(each.method === undefined ? [] : [`include-method = "${each.method}"`]),
      ...headersOf(each.bearer),
      ...(each.parameters === undefined
        ? []
        : [`parameters = ${inlineOf(inPath({ ...parameters, ...each.parameters }))}`]),
      ...(each.mayRefuse === true ? ['checks.positive_data_acceptance.enabled = false'] : []),
    )
  return `${lines.join('\n')}\n`
}

const headersOf = (bearer: string | undefined): string[] =>
  bearer === undefined ? [] : [`headers = ${inlineOf({ Authorization: `Bearer ${bearer}` })}`]

const inPath = (parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`path.${name}`, value]))

/** Returns an inline table of TOML, whose strings have JSON's syntax. */
const inlineOf = (members: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(members).map(
    ([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`,
  )
  return `{ ${pairs.join(', ')} }`
}
