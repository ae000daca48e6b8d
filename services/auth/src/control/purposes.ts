// The names of an account's consent levels. No decision of Weir depends on them.
import { accountKey, act, requireAccount } from '@weir/control-state'
import type { AccountRecord, ConsentPurpose } from '@weir/control-state'
import type { Changes } from './changes.ts'

export function setPurposes(
  deps: Changes,
  billingId: string,
  wanted: readonly ConsentPurpose[],
): Promise<AccountRecord> {
  const what = act(deps, 'account.purposes', { account: billingId })
  const purposes = wanted.toSorted((a, b) => a.level - b.level)
  return deps.writer.change(what, (draft) => {
    const before = requireAccount(draft, billingId)
    const account = { ...before, purposes }
    draft.put(accountKey(billingId), account)
    draft.addToEntry({ before: titlesOf(before.purposes ?? []), after: titlesOf(purposes) })
    return account
  })
}

const titlesOf = (purposes: readonly ConsentPurpose[]): Readonly<Record<string, string>> =>
  Object.fromEntries(purposes.map(({ level, title }) => [level, title]))
