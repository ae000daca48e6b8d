// The alerts by Prometheus' own rule tester: each fires when it should, and doesn't when it shouldn't.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { stringify } from 'yaml'

import { installed, REPOSITORY } from '../../src/repository.ts'
import { ALERTS } from '../../src/written.ts'
import { cases, type Case } from './cases.ts'

const run = promisify(execFile)
const promtool = (...args: string[]): Promise<{ stdout: string }> =>
  run(installed('promtool/usr/bin/promtool'), args)

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

test('each alert fires for what it is for, and for nothing near it', async () => {
  const file = join(folder, 'alerts.test.yaml')
  const content = {
    rule_files: [join(REPOSITORY, ALERTS)],
    evaluation_interval: '1m',
    tests: cases.flatMap((each) => [
      scenario(each, each.fires, true),
      scenario(each, each.quiet, false),
    ]),
  }
  await writeFile(file, stringify(content))
  const outcome = await promtool('test', 'rules', file).then(
    () => 'passed',
    (error: unknown) => String(error),
  )
  expect(outcome).toBe('passed')
}, 200_000)
