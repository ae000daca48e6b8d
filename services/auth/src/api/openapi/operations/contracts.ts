import { answer, body, list } from '../tell.ts'
import type { Tell } from '../tell.ts'

export function tellContracts(tell: Tell): void {
  tell('listContracts', 'GET /contracts', 'contracts', {
    says: 'The contracts of the account',
    ...list('The contracts', 'Contract'),
  })
  tell('createContract', 'POST /contracts', 'contracts', {
    says: 'Publishes a contract. A published contract never changes',
    ...body('ContractRequest'),
    ...answer(201, 'The contract', 'Contract'),
  })
  tell('showContract', 'GET /contracts/:contract', 'contracts', {
    says: 'One contract',
    ...answer(200, 'The contract', 'Contract'),
  })
  tell('archiveContract', 'POST /contracts/:contract/archive', 'contracts', {
    says: 'Archives a contract. Its events are refused from then on',
    ...answer(200, 'The contract', 'Contract'),
  })
}
