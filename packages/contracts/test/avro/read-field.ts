// Reads events that have one more field than the base contract.
import { hasCode } from '@weir/kit'
import type { Contract } from '../../src/index.ts'
import { baseEvent, bodyWith, compile, definitionWith } from '../examples.ts'

export function refusalOfText(contract: Contract, text: string | Buffer): string {
  try {
    contract.readJson(Buffer.from(text))
  } catch (error) {
    if (hasCode(error, 'contracts.undecodable')) return error.message
    throw error
  }
  throw new Error('the body was read')
}
export const refusal = (contract: Contract, event: unknown): string =>
  refusalOfText(contract, bodyWith(event))

type Field = { name: string; type: unknown; default?: unknown }
export const contractWith = (...fields: Field[]): Promise<Contract> =>
  compile(definitionWith({ fields }))
export const list = (items: unknown) => ({ type: 'array', items })

export async function readField(type: unknown, sent: unknown): Promise<unknown> {
  const contract = await contractWith({ name: 'f', type })
  return contract.readJson(bodyWith({ ...baseEvent, f: sent }))['f']
}
export async function refuseField(type: unknown, sent: unknown): Promise<string> {
  return refusal(await contractWith({ name: 'f', type }), { ...baseEvent, f: sent })
}
