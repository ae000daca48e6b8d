// The schemas of auth's responses, under their names in the OpenAPI document. The code that renders a response returns
// the type of its schema.
import { problemAnswer } from '@weir/http-api'
import type { z } from 'zod'
import { accountAnswers } from './accounts.ts'
import { contractAnswers } from './contracts.ts'
import { erasureAnswers } from './erasures.ts'
import { platformAnswers } from './platform.ts'
import { streamAnswers } from './streams.ts'
import { tokenAnswers } from './tokens.ts'

export const answersByName = {
  ...streamAnswers,
  Problem: problemAnswer,
  ...tokenAnswers,
  ...accountAnswers,
  ...contractAnswers,
  ...erasureAnswers,
  ...platformAnswers,
}
export type AnswerName = keyof typeof answersByName
export type AnswerNamed<Name extends AnswerName> = z.infer<(typeof answersByName)[Name]>
