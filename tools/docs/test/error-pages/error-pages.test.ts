// Checks the form of docs/errors/, which has a page for each code. Each service's `docs.test.ts` compares the codes and
// statuses with the service's table.
import { describe, expect, test } from '@jest/globals'

import { answersIn, readErrorPages } from '@weir/docs'

const pages = await readErrorPages()

describe.each([...pages])('the page of %s', (code, text) => {
  test('says who answers it, what happened, why, what to do next, and shows an example', () => {
    const answers = answersIn(text)
    expect(answers).not.toEqual([])
    const headings = [...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading)
    expect(headings).toEqual([`# ${code}`, '## Why', '## What to do', '## Example'])
    expect(text).toMatch(/^# .+\n\n.+\n\n[A-Z`]/)
    for (const section of text.split(/^## .*$/m)) expect(section.trim()).not.toBe('')
    const [, status, example] = /^```http\nHTTP\/2 (\d+)\n(.*?)^```$/ms.exec(text) ?? []
    expect(answers.map((answer) => String(answer.status))).toContain(status)
    expect(example).toMatch(/^\S.*$/m)
    expect(example).not.toMatch(/^(?:content-type|link|svc-error): |^ {2}"(?:type|status)": /m)
  })
})
