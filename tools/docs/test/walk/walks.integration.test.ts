// Runs the commands in documents unchanged, as after one `npm start` for all documents. The README's walk and the
// guides come last, because they add objects to the demo, which other documents count.
import { afterAll, beforeAll, describe } from '@jest/globals'

import { openDemoClone } from '../../src/walk/demo-clone.ts'
import type { DemoClone } from '../../src/walk/demo-clone.ts'
import { exportTests } from './analysts/export.ts'
import { analystTests } from './analysts/walk.ts'
import { guideTests } from './guides.ts'
import { readmeTests } from './readme.ts'

let opened: DemoClone | undefined
const clone = (): DemoClone => {
  if (opened === undefined) throw new Error('the demo did not start')
  return opened
}

beforeAll(async () => {
  opened = await openDemoClone()
}, 300_000)

afterAll(() => opened?.close(), 60_000)

describe('what analysts type', () => {
  analystTests(clone)
})
describe('weir export', () => {
  exportTests(clone)
})
describe('the walk of the README', () => {
  readmeTests(clone)
})
describe('the guides', () => {
  guideTests(clone)
})
