// /auth and /refresh (spec Authentication 1): credentials, or a refresh token, for an id token. Members
// that nobody asked for are let through here: clients send back whole answers.
import { z } from 'zod'
import { Refusal } from '../../errors.ts'
import type { Call, Handler } from '../http.ts'
import type { Grant } from '../../metrics.ts'
import { readJson } from '../read-json.ts'
import { malformed, requireFewMembers, tokenBodyBytesMax } from '../../tokens/token-body.ts'
import type { TokenDesk } from '../../tokens/token-desk.ts'

const text = z.string().min(1).max(1_000)
const secretsBody = z.object({ billingId: text, clientId: text, clientSecret: text })
const refreshBody = z.object({ refreshToken: z.string().min(1).max(10_000) })

export const issueForSecret =
  (desk: TokenDesk): Handler =>
  (call) =>
    counted(desk, 'credentials', async () => {
      const secrets = secretsBody.safeParse(await readMembers(call))
      if (!secrets.success)
        throw malformed('Send billingId, clientId and clientSecret, each a string')
      const client = await desk.prover.bySecret(secrets.data)
      await desk.trace(client, call.requestId)
      return { status: 200, body: desk.issue(client) }
    })

export const issueForRefreshToken =
  (desk: TokenDesk): Handler =>
  (call) =>
    counted(desk, 'refresh', async () => {
      const body = refreshBody.safeParse(await readMembers(call))
      if (!body.success) throw malformed('Send refreshToken, a string')
      const client = await desk.prover.byRefreshToken(body.data.refreshToken)
      await desk.trace(client, call.requestId)
      return { status: 200, body: desk.issue(client) }
    })

export async function counted<Result>(
  { metrics }: TokenDesk,
  grant: Grant,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work()
    metrics.tokenIssued(grant)
    return result
  } catch (error) {
    metrics.tokenRefused(grant, error instanceof Refusal ? error.code : 'internal')
    throw error
  }
}

async function readMembers(call: Call): Promise<unknown> {
  const body = await readJson(call, tokenBodyBytesMax)
  requireFewMembers(body)
  return body
}
