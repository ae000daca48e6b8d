// The cases of all alerts. A test checks that no alert is missing.
import type { Case } from './case.ts'
import { casesBehind } from './cases-behind.ts'
import { casesInFront } from './cases-in-front.ts'

export const cases: readonly Case[] = [...casesInFront, ...casesBehind]
