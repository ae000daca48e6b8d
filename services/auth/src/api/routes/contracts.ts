// Event contracts (spec Event contract): published, listed, shown, archived. Both versions of the API show them in the
// same form.
import { archiveContract } from '../../control/contracts/add-contract.ts'
import { noContract } from '@weir/control-state'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { publishContract } from '../../control/contracts/publish-contract.ts'
import { lookUp, listPage, readJson } from '@weir/http-api'
import { contractOf } from '../render.ts'

export const createContractRoute =
  (deps: Pick<Management, 'contracts'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'Contract'>>> => {
    const { caller } = call
    const { contract, warnings } = await publishContract(
      acting(deps.contracts, caller),
      caller.billingId,
      await readJson(call),
    )
    const more = warnings.length > 0 ? { warnings } : {}
    return { status: 201, body: { ...contractOf(contract), ...more } }
  }

export const listContracts =
  ({ state }: Pick<Management, 'state'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { billingId } = call.caller
    const contracts = state.tables.contractsOf(billingId)
    const { entries, headers } = listPage(call, contracts, {
      keyOf: ({ id }) => id,
      bytesOf: ({ schemaText }) => schemaText.length,
    })
    return { status: 200, headers, body: entries.map(contractOf) }
  }

export const showContract =
  (deps: Pick<Management, 'state'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { billingId } = call.caller
    const id = call.param('contract')
    const contract = await lookUp(deps.state, (state) => {
      const found = state.contract(billingId, id)
      if (found === undefined) throw noContract(id)
      return found
    })
    return { status: 200, body: contractOf(contract) }
  }

export const archiveContractRoute =
  (deps: Pick<Management, 'contracts'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const id = call.param('contract')
    const contract = await archiveContract(acting(deps.contracts, caller), { billingId, id })
    return { status: 200, body: contractOf(contract) }
  }
