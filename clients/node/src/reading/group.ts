// How the ids of consumer groups must begin, as a token and a topic say it: with the prefix of the topic and the
// clientId of the credentials. Only a message depends on it.
import { memberOf } from '../json.ts'
import { claimsIn } from '../looks.ts'

type Group = {
  readonly token: string | undefined
  readonly topic: string
  readonly groupId: string
}

/** Empty if the group may be right. */
export function groupHint({ token, topic, groupId }: Group): string {
  const claims = claimsIn(token)
  const [clientId, account, stream] = ['sub', 'billingId', 'stream'].map((name) =>
    memberOf(claims, name),
  )
  const own = `${String(account)}.${String(stream)}`
  if (typeof clientId !== 'string' || !topic.endsWith(own)) return ''
  const start = topic.slice(0, -own.length) + clientId
  return groupId.startsWith(start) ? '' : `; groupId must begin with ${start}`
}
