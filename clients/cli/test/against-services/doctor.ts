// `weir doctor` with running services, and with faults.
import { expect, test } from '@jest/globals'
import { closedPort } from '../support/closed-port.ts'
import type { LookUpGround } from './ground.ts'

export function doctorTests(ground: LookUpGround): void {
  const statesOf = (text: string): Record<string, string> => {
    const findings: { check: string; state: string }[] = JSON.parse(text)
    return Object.fromEntries(findings.map(({ check, state }) => [check, state]))
  }

  test('finds nothing wrong where all is well', async () => {
    const { weir } = ground()
    await weir.ok('stream create healthy --save')
    const states = statesOf(await weir.ok('doctor -o json'))
    for (const check of ['node', 'account', 'auth', 'ingest', 'output', 'API key', 'schemas'])
      expect([check, states[check]]).toEqual([check, 'ok'])
    expect(Object.values(states)).not.toContain('problem')
  })

  test('says whose address it reached', async () => {
    const { weir, world } = ground()
    const env = { WEIR_AUTH_URL: world.ingest.url, WEIR_INGEST_URL: world.output.url }
    const { code, stdout } = await weir.run('doctor', { env })
    expect(code).toBe(1)
    expect(stdout).toContain(`${world.ingest.url} is the address of ingest, not of auth`)
    expect(stdout).toContain(`${world.output.url} is the address of output, not of ingest`)
    expect(stdout).not.toMatch(/(auth|ingest) ready/)
  })

  test('names what is wrong, says what to do, and ends with 1; no secret is shown', async () => {
    const { weir } = ground()
    const nowhere = `http://127.0.0.1:${await closedPort()}`
    const env = {
      WEIR_INGEST_URL: nowhere,
      WEIR_API_KEY: 'weir_the-wrong-key',
      WEIR_CLIENT_ID: '00000000-0000-4000-8000-000000000000',
      WEIR_CLIENT_SECRET: 'the-wrong-secret',
    }
    const { code, stdout, stderr } = await weir.run('doctor', { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('there are 2 problems')])
    expect(stdout).toMatch(/problem {2}ingest +nothing listens at/)
    expect(stdout).toContain(nowhere)
    expect(stdout).toMatch(/problem {2}API key +.*\(401\)\n +The key is from WEIR_API_KEY/)
    expect(stdout).toMatch(
      /warning {2}credentials .*\n +The credentials are from WEIR_CLIENT_ID and/,
    )
    expect(stdout).toMatch(/warning {2}schemas +auth returns 401 at/)
    expect(stdout + stderr).not.toMatch(/the-wrong/)
  })
}
