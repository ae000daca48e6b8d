// Runs the alerts in Prometheus' own rule tester. Each fires in its case, and not in the closest other case.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'

import { at, objectsOf } from '../../src/json.ts'
import { REPOSITORY } from '@weir/devstack'
import { installed } from '../../src/repository.ts'
import { ALERTS } from '../../src/written.ts'
import type { Case } from './case.ts'
import { cases } from './cases.ts'

const run = promisify(execFile)
const promtool = (...args: string[]): Promise<{ stdout: string }> =>
  run(installed('promtool/usr/bin/promtool'), args)

const content: unknown = parse(await readFile(join(REPOSITORY, ALERTS), 'utf8'))
const alerts = objectsOf(at(content, 'groups')).flatMap((group) => objectsOf(group['rules']))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-alerts-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('Prometheus takes the rules', async () => {
  expect((await promtool('check', 'rules', join(REPOSITORY, ALERTS))).stdout).toContain('SUCCESS')
})

const scenario = (
  { alert, at }: Case,
  series: Readonly<Record<string, string>>,
  fires: boolean,
) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) > 0`,
      eval_time: `${at}m`,
      exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
    },
  ],
})

/** Tests an alert with only its own rule, because windows of days over all rules would take minutes. */
async function tryAlert(alert: string): Promise<string> {
  const [rules, file] = [join(folder, `${alert}.yaml`), join(folder, `${alert}.test.yaml`)]
  const rule = alerts.find((each) => each['alert'] === alert)
  const own = cases.filter((each) => each.alert === alert)
  // Fewer evaluations, because some cases last days.
  const isLong = own.some(({ at: minutes }) => minutes > 1_000)
  await writeFile(rules, stringify({ groups: [{ name: alert, rules: [rule] }] }))
  const tried = {
    rule_files: [rules],
    evaluation_interval: isLong ? '15m' : '1m',
    tests: own.flatMap((each) => [
      scenario(each, each.fires, true),
      scenario(each, each.quiet, false),
    ]),
  }
  await writeFile(file, stringify(tried))
  return promtool('test', 'rules', file).then(
    () => 'passed',
    (error: unknown) => String(error),
  )
}

test.each([...new Set(cases.map(({ alert }) => alert))])(
  '%s fires for what it is for, and for nothing near it',
  async (alert) => {
    expect(await tryAlert(alert)).toBe('passed')
  },
  60_000,
)
