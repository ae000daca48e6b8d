// What a refusal of Kafka means, as far as the token says it: which topic the credentials are for, and how their consumer
// groups must begin. Only messages depend on it. Each hint ends a sentence, and is empty if nothing is known to be wrong.
import { memberOf } from '../json.ts'
import { claimsIn } from '../looks.ts'

type Known = {
  readonly token: string | undefined
  readonly topic: string
  readonly groupId: string
}

/** A group begins with the prefix of the topic and the clientId of the credentials. */
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

/** The name of the topic without its prefix. */
function ownOf(token: string | undefined): { claims: object | undefined; own: string } {
  const claims = claimsIn(token)
  const names = ['billingId', 'stream'].map((name) => String(memberOf(claims, name)))
  return { claims, own: names.join('.') }
}
