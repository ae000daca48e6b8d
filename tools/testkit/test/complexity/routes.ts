// The worst requests of all three services, together.
import { managementCases, tokensCases } from './auth-cases.ts'
import { headsCases } from './head-cases.ts'
import { eventsCases } from './ingest-cases.ts'
import { watchingCases } from './output-cases.ts'
import type { Case } from './requests.ts'

export type { Case, Scene } from './requests.ts'

export const routeCases: readonly Case[] = [
  ...tokensCases,
  ...managementCases,
  ...headsCases,
  ...eventsCases,
  ...watchingCases,
]
