// Every alert is here; a test holds that.
import type { Case } from './case.ts'
import { casesBehind } from './cases-behind.ts'
import { casesInFront } from './cases-in-front.ts'

export const cases: readonly Case[] = [...casesInFront, ...casesBehind]
