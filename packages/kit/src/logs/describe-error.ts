// What the log may show of an error: class, code, stack (not of an AppError), and the message unless it quotes input.
// Causes from other libraries are shown only by class and code, because their messages often contain payloads.

import { AppError } from '../errors.ts'

const FRAMES_MAX = 8
const CAUSES_MAX = 5

export type ErrorDescription = {
  name: string
  code?: string
  message?: string
  at?: string[]
  causes?: string[]
}

export function describeError(error: unknown): ErrorDescription {
  const description = describeCrash(error)
  if (error instanceof Error && !quotesItsInput(error)) description.message = error.message
  return description
}

/** Like `describeError`, for unexpected errors: includes only messages of AppErrors. */
export function describeCrash(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { name: `thrown ${typeof error}` }
  const description: ErrorDescription = { name: nameOf(error) }
  const code = codeOf(error)
  if (code !== undefined) description.code = code
  if (error instanceof AppError) description.message = error.message
  else description.at = framesOf(error)
  const causes = causesOf(error)
  if (causes.length > 0) description.causes = causes
  return description
}

// V8's SyntaxError quotes the text that JSON.parse failed on, and Node's argument errors quote the argument.
function quotesItsInput(error: Error): boolean {
  return error instanceof SyntaxError || (codeOf(error)?.startsWith('ERR_INVALID_') ?? false)
}

function causesOf(error: Error): string[] {
  const causes: string[] = []
  const waiting: unknown[] = [error.cause, ...membersOf(error)]
  while (waiting.length > 0 && causes.length < CAUSES_MAX) {
    const cause = waiting.shift()
    if (!(cause instanceof Error)) continue
    const code = codeOf(cause)
    const what = code === undefined ? nameOf(cause) : `${nameOf(cause)} ${code}`
    causes.push(cause instanceof AppError ? `${what}: ${cause.message}` : what)
    waiting.push(cause.cause, ...membersOf(cause))
  }
  return causes
}

function membersOf(error: Error): unknown[] {
  return error instanceof AggregateError ? error.errors : []
}

function nameOf(error: Error): string {
  return typeof error.name === 'string' ? error.name : 'Error'
}

function codeOf(error: Error): string | undefined {
  if (!('code' in error)) return undefined
  return typeof error.code === 'string' || typeof error.code === 'number'
    ? String(error.code)
    : undefined
}

// Only the frames, because the lines before them repeat the message.
function framesOf(error: Error): string[] {
  const lines = typeof error.stack === 'string' ? error.stack.split('\n') : []
  return lines
    .map((line) => line.trim())
    .filter((line) => /^at .*:\d+:\d+\)?$/.test(line))
    .slice(0, FRAMES_MAX)
}
