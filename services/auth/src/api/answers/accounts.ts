// The responses about accounts, their quotas, purposes and API keys.
import { forEachQuota, roles } from '@weir/control-state'
import { count, level, listOf, string, time } from '@weir/http-api'
import { z } from 'zod'

const counts = { streams: count, outputs: count, contracts: count }
const account = { billingId: string, createdAt: time, ...counts }
const quota = z.strictObject({ max: count, used: count.optional() })
const quotas = z.strictObject(forEachQuota(() => quota))
const times = { createdAt: time, expiresAt: time.optional(), lastUsedAt: time.optional() }
const apiKey = { keyId: string, name: string, role: z.enum(roles), ...times }
const ApiKey = z.strictObject(apiKey)

export const accountAnswers = {
  AccountQuotas: z.strictObject({ billingId: string, quotas }),
  Account: z.strictObject({ ...account, erased: count, erasedMax: count, quotas, key: ApiKey }),
  NewAccount: z.strictObject({ ...account, key: ApiKey, apiKey: string }),
  Purpose: z.strictObject({ name: string, title: string, level }),
  ApiKey,
  NewApiKey: z.strictObject({ ...apiKey, apiKey: string }),
  NewOwnerKey: z.strictObject({ billingId: string, ...apiKey, apiKey: string }),
  DeletedApiKeys: z.strictObject({ deleted: listOf(ApiKey) }),
}
