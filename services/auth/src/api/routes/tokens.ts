// /auth and /refresh (spec Authentication 1) issue an id token for credentials or a refresh token. Unknown members are
// ignored, because clients send back whole responses.
import { z } from 'zod'
import type { Call, RouteHandler } from '@weir/http-api'
import type { Grant } from '../../metrics.ts'
import { readJson, Refusal } from '@weir/http-api'
import { malformedBody, requireFewMembers, tokenBodyBytesMax } from '../../tokens/token-body.ts'
import type { TokenService } from '../../tokens/token-service.ts'

const text = z.string().min(1).max(1_000)
export const secretsBody = z.object({ billingId: text, clientId: text, clientSecret: text })
export const refreshBody = z.object({ refreshToken: z.string().min(1).max(10_000) })

export const issueForSecret =
  (tokenService: TokenService): RouteHandler =>
  (call) =>
    counted(tokenService, 'credentials', async () => {
      const secrets = secretsBody.safeParse(await readMembers(call))
      if (!secrets.success)
        throw malformedBody('Send billingId, clientId and clientSecret, each a string')
      const client = await tokenService.authenticator.bySecret(secrets.data)
      await tokenService.trace(client, call.requestId)
      return { status: 200, body: tokenService.issue(client) }
    })

export const issueForRefreshToken =
  (tokenService: TokenService): RouteHandler =>
  (call) =>
    counted(tokenService, 'refresh', async () => {
      const body = refreshBody.safeParse(await readMembers(call))
      if (!body.success) throw malformedBody('Send refreshToken, a string')
      const client = await tokenService.authenticator.byRefreshToken(body.data.refreshToken)
      await tokenService.trace(client, call.requestId)
      return { status: 200, body: tokenService.issue(client) }
    })

export async function counted<Result>(
  { metrics }: TokenService,
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
