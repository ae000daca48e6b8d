// Explains Kafka's refusals with the token's claims: which topic the credentials are for, and how their consumer group
// ids must begin. Only messages depend on these hints. Each hint ends a sentence, and is empty if no mistake is found.
import { memberOf } from '../json.ts'
import { claimsIn } from '../looks.ts'

type Known = {
  readonly token: string | undefined
  readonly topic: string
  readonly groupId: string
}

/** A group's id must begin with the topic's prefix and the credentials' clientId. */
export function groupHint({ token, topic, groupId }: Known): string {
  const { own, claims } = ownOf(token)
  const clientId = memberOf(claims, 'sub')
  if (typeof clientId !== 'string' || !topic.endsWith(own)) return ''
  const start = topic.slice(0, -own.length) + clientId
  return groupId.startsWith(start) ? '' : `; groupId must begin with ${start}`
}

export function topicHint({ token, topic }: Known): string {
  const { own, claims } = ownOf(token)
  if (claims === undefined) return ''
  if (!topic.endsWith(own)) return `; they are for ${own}, which may have a prefix`
  return memberOf(claims, 'kind') === 'input'
    ? '; those of an input stream may read only if their scope is listen alone'
    : ''
}

/** Returns the token's claims, and the name of its topic without a prefix. */
function ownOf(token: string | undefined): { claims: object | undefined; own: string } {
  const claims = claimsIn(token)
  const names = ['billingId', 'stream'].map((name) => String(memberOf(claims, name)))
  return { claims, own: names.join('.') }
}
