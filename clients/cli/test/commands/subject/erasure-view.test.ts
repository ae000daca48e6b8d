import { expect, test } from '@jest/globals'
import { renderErasure } from '../../../src/commands/subject/erasure-view.ts'

test('the day until which the person must have an answer is named like the option', () => {
  const [text = ''] = renderErasure({ id: 'e1', state: 'accepted', dueOn: '2026-12-24' }).split(
    '\n\n',
  )
  expect(text).toMatch(/^due +2026-12-24$/m)
  expect(text).not.toContain('dueOn')
  expect(renderErasure({ id: 'e1' })).not.toContain('due')
})
