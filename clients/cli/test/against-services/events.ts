// `weir send`, `weir listen` and `weir token`: sending and receiving events.
import { pollUntil } from '@weir/kit'
import { expect, test } from '@jest/globals'
import { exampleEvent } from '@weir/testkit'
import { eventLine, eventsOf, fileOf, linesOf, memberOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'
import type { Ended, Running } from '../support/weir.ts'

export function eventTests(ground: LookUpGround): void {
  const listening = async (name: string, more = ''): Promise<Running> => {
    const running = ground().weir.start(`listen ${name}${more}`)
    await running.says(`Listening to ${name}; Ctrl-C ends it.`)
    return running
  }

  test('what is sent arrives sealed at the input stream, and opened up to the level of an output', async () => {
    const { weir, billingId } = ground()
    await weir.ok('stream create clicks --save')
    await weir.ok('output create clicks clicks-0 --level 0 --save')
    await weir.ok('output create clicks clicks-13 --level 1 --level 3 --type GRANULAR --save')
    const [input, level0, levels13, misspelt, filtered] = await Promise.all([
      listening('clicks', ' --count 3'),
      listening('clicks-0', ' --count 3'),
      listening('clicks-13', ' --count 1'),
      listening('clicks', ' --count 1 --field custmer.id'),
      listening('clicks', ' --filter custmer.id=42'),
    ])
    const pretty = JSON.stringify(await exampleEvent('clickstream'), null, 2)
    const send = (schema: string, options?: { input: string }, more = '') =>
      weir.ok(`send clicks --schema ${schema}${more}`, options)
    const file = fileOf(weir, 'event.json', pretty)
    expect(await send('clickstream', undefined, ` -f ${file}`)).toBe('1 event accepted (204)\n')
    const noLevel2 = await eventLine('clickstream', (text) => text.replace('[0,1,2]', '[0]'))
    expect(await send('clickstream', { input: noLevel2 })).toBe('1 event accepted (204)\n')
    await send('demo/event/1.0.0', { input: await eventLine('demo_event') }, ' -f -')

    const ended = await Promise.all([input.ended, level0.ended, levels13.ended])
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect((await misspelt.ended).stderr).toContain(
      '1 event arrived, 1 matched. None of them had the field custmer.id.\n',
    )
    await filtered.says('The first event has no field custmer.id (did you mean customer.id?).\n')
    filtered.interrupt()
    expect((await filtered.ended).code).toBe(0)
    const [sealed, opened, granular] = ended.map(({ stdout }) => eventsOf(stdout))
    expect(sealed).toContainEqual(
      expect.objectContaining({
        svcMeta: expect.objectContaining({
          schemaId: 'clickstream',
          timestamp: expect.any(Number),
          keyLink: expect.any(Number),
          billingId,
          consentLevels: [0, 1, 2],
        }),
        producerSessionId: sealedText,
        customer: { id: sealedText },
      }),
    )
    expect(JSON.stringify(sealed)).not.toMatch(/customer-00042|session-0001|unique-1|"sensitive"/)
    expect(opened).toHaveLength(3)
    for (const consentLevels of [[0, 1, 2], [0]]) {
      expect(opened).toContainEqual(
        expect.objectContaining({
          svcMeta: expect.objectContaining({ consentLevels }),
          producerSessionId: sealedText,
          customer: { id: 'customer-00042' },
        }),
      )
    }
    // Only the other contract's event has consent to level 3. This output does not decrypt level 2.
    expect(granular).toEqual([
      expect.objectContaining({
        uniqueIdentifier: 'unique-1',
        consistentValue: sealedText,
        someSensitiveValue: 'sensitive',
      }),
    ])
  })

  test('a rejected event is told by its line and sentence, and keeps no other back', async () => {
    const { weir } = ground()
    await weir.ok('stream create checked --save')
    const good = await eventLine('clickstream')
    const bad = await eventLine('clickstream', (text) => text.replace('https://shop', 'shop'))
    const sentence =
      "regex clickstream/url 'shop.example.com/products/1234/details?ref=home' doesnt match " +
      "'^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]'"
    const input = `${good}\n${bad}\n\n${good}\n{}\n{"a": nope}\n`
    const [sent, asJson] = await Promise.all([
      weir.run('send checked --schema clickstream', { input }),
      weir.run('send checked --schema clickstream -o json', { input }),
    ])
    expect([sent.code, sent.stdout]).toEqual([1, '2 events accepted (204)\n'])
    expect(linesOf(sent.stderr)).toEqual([
      `line 2: ${sentence} (400)`,
      "line 5: Field 'svcMeta' is missing (400)",
      "line 6, column 8: Unexpected token 'o'; The body is not JSON (400)",
      'weir: 3 rejected, see above',
    ])
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([
      1,
      {
        accepted: 2,
        rejected: [
          { line: 2, status: 400, code: 'validation_failed', message: sentence },
          {
            line: 5,
            status: 400,
            code: 'undecodable',
            message: expect.stringContaining('svcMeta'),
          },
          { line: 6, status: 400, code: 'undecodable', message: 'The body is not JSON' },
        ],
      },
    ])
  })

  test('more events than the stream accepts in a second are all stored, each once', async () => {
    const { weir } = ground()
    await weir.ok('stream create slow --rate 2 --save')
    const input = `${await eventLine('clickstream')}\n`.repeat(5)
    expect(await weir.ok('send slow --schema clickstream', { input })).toBe(
      '5 events accepted (204)\n',
    )
  })

  test('what is no event ends the command with 2, before anything is sent', async () => {
    const { weir } = ground()
    await weir.ok('stream create strict --save')
    const send = (input: string) => weir.run('send strict --schema clickstream', { input })
    const ended = await Promise.all([send(''), send('hello'), send('[{}]')])
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual([
      [2, ''],
      [2, ''],
      [2, ''],
    ])
    const [empty, noJson, array] = ended.map(({ stderr }) => stderr)
    expect(empty).toContain('there is no event in the input')
    expect(noJson).toContain("the input isn't JSON")
    expect(array).toContain("jq -c '.[]' FILE")
  })

  test('an output takes no events, and a stream without saved credentials says how to get some', async () => {
    const { weir } = ground()
    await weir.ok('stream create source')
    await weir.ok('output create source sink --level 1 --save')
    const input = await eventLine('clickstream')
    const [derived, unsaved] = await Promise.all([
      weir.run('send sink --schema clickstream', { input }),
      weir.run('token source'),
    ])
    expect([derived.code, derived.stderr]).toEqual([
      1,
      'weir: sink is an output of source. This command needs an input stream\n  Give its input stream, source.\n',
    ])
    expect([unsaved.code, unsaved.stderr]).toEqual([
      1,
      expect.stringContaining('weir credentials rotate source --save'),
    ])
  })

  test('listening ends well at Ctrl-C and at the time given, and with 1 when events are missing', async () => {
    const { weir } = ground()
    await weir.ok('stream create quiet --save')
    const interrupted = await listening('quiet')
    const [timed, missed] = await Promise.all([
      weir.run('listen quiet --timeout 500ms'),
      weir.run('listen quiet --timeout 500ms --count 2'),
    ])
    interrupted.interrupt()
    expect([(await interrupted.ended).code, timed.code]).toEqual([0, 0])
    expect([missed.code, missed.stdout]).toEqual([1, ''])
    expect(missed.stderr).toContain('weir: 0 of 2 events of quiet arrived within 0.5 s\n')
  })

  test('a listener hears why it ends: disabled, revoked, deleted', async () => {
    const { weir } = ground()
    for (const name of ['off', 'cut', 'gone']) await weir.ok(`stream create ${name} --save`)
    const [off, cut, gone] = await Promise.all(['off', 'cut', 'gone'].map((n) => listening(n)))
    await Promise.all([
      weir.ok('stream disable off'),
      weir.ok('credentials revoke cut'),
      weir.ok('stream delete gone'),
    ])
    const said = async (running: Running | undefined): Promise<string | undefined> => {
      const { code, stdout, stderr }: Partial<Ended> = (await running?.ended) ?? {}
      expect([code, stdout]).toEqual([1, ''])
      return stderr
    }
    expect(await said(off)).toContain(
      'weir: off is disabled (4403)\n' +
        '  `weir stream enable` or `weir output enable` enables it.\n',
    )
    expect(await said(cut)).toMatch(
      /^weir: the token of cut has expired .*, or its credentials were revoked \(4401\)$/m,
    )
    expect(await said(gone)).toContain(
      'weir: gone has been deleted (4410)\n  `weir stream list` shows the streams.\n',
    )

    const input = await eventLine('clickstream')
    const [refused, deaf] = await Promise.all([
      weir.run('send off --schema clickstream', { input }),
      weir.run('listen off'),
    ])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'stopped at line 1: The stream off is disabled (403)\n  `weir stream enable off` enables it.\n',
      ),
    ])
    expect([deaf.code, deaf.stderr]).toEqual([
      1,
      'weir: The stream off is disabled (403)\n' +
        '  `weir stream enable` or `weir output enable` enables a disabled stream.\n',
    ])
    expect(memberOf(await weir.ok('stream enable off'), 'enabled')).toBe('yes')
    // Ingest enables the stream within a second.
    const isTaken = async (): Promise<boolean> =>
      (await weir.run('send off --schema clickstream', { input })).code === 0
    await pollUntil(isTaken, { deadlineMs: 60_000, what: 'an enabled stream taking events' })
  })

  test('the token that is printed sends events with any HTTP client', async () => {
    const { weir, world } = ground()
    await weir.ok('stream create by-hand --save')
    const token = await weir.ok('token by-hand')
    const { status } = await fetch(`${world.ingest.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.trim()}`, 'svc-schema-id': 'clickstream' },
      body: await eventLine('clickstream'),
    })
    expect(status).toBe(204)
  })
}

/** Base64 of an encrypted field, whose first byte is the version. */
const sealedText: unknown = expect.stringMatching(/^A[Q-Za-f][A-Za-z0-9+/]{26,}={0,2}$/)
