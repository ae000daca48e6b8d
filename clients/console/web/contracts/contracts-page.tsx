// The account's contracts: the schema of their events, the personal fields with their levels, and the validations.
import type { PageProps } from '../session.ts'
import type { Contract } from '../api/account.ts'
import { listContracts, listInputs } from '../api/resources.ts'
import { hrefOf } from '../place.ts'
import { PurposesCard } from '../purposes/purposes-card.tsx'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { schemaFieldsOf } from './schema-fields.ts'
import { TestEvent } from './test-event.tsx'

export function ContractsPage({ session, place }: PageProps) {
  const { calls } = session
  const { value, error } = useLoad(
    async () => ({ inputs: await listInputs(calls), contracts: await listContracts(calls) }),
    [calls],
  )
  const problems = <Problems of={error} />
  if (value === undefined) return problems
  const { contracts, inputs } = value
  const chosen = contracts.find(({ id }) => id === place.name) ?? contracts[0]
  return (
    <>
      <h1>Contracts</h1>
      <p class="said">
        A contract says what an event must look like, which of its fields are personal, and which
        consent they need. Owners and developers create contracts with{' '}
        <code>weir contract create</code>, or through the API (
        <a href={`${calls.where.authUrl}/docs/guide/contracts.html`} target="_blank" rel="noopener">
          how
        </a>
        ).
      </p>
      {problems}
      {chosen === undefined ? (
        <p class="empty">There is no contract yet.</p>
      ) : (
        <div class="split">
          <Choice contracts={contracts} chosen={chosen} />
          <div class="stack">
            <ContractCard contract={chosen} />
            {chosen.status === 'active' && session.may('developer') ? (
              <section class="card" key={chosen.id}>
                <h2>Send a test event</h2>
                <TestEvent session={session} contracts={[chosen]} inputs={inputs} />
              </section>
            ) : null}
            <PurposesCard session={session} />
          </div>
        </div>
      )}
    </>
  )
}

function Choice({ contracts, chosen }: { contracts: readonly Contract[]; chosen: Contract }) {
  return (
    <nav class="side" aria-label="Contracts">
      {contracts.map(({ id, status }) => (
        <a
          key={id}
          href={hrefOf('contracts', id)}
          aria-current={id === chosen.id ? 'true' : undefined}
        >
          {id} {status === 'active' ? null : <span class="tag">{status}</span>}
        </a>
      ))}
    </nav>
  )
}

function ContractCard({ contract }: { contract: Contract }) {
  return (
    <section class="card">
      <h2>{contract.id}</h2>
      <p class="muted">
        schema <code>{contract.subject}</code> · key field <code>{contract.keyField}</code>
        {contract.subjectField === '' ? null : (
          <>
            {' '}
            · data subject field <code>{contract.subjectField}</code>
          </>
        )}
      </p>
      <Fields contract={contract} />
    </section>
  )
}

function Fields({ contract }: { contract: Contract }) {
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label="Fields of the contract">
      <table class="by-row">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">type</th>
            <th scope="col">personal</th>
            <th scope="col">must match</th>
          </tr>
        </thead>
        <tbody>
          {schemaFieldsOf(contract.schema).map(({ path, type }) => (
            <tr key={path} class={path.startsWith('svcMeta/') ? 'envelope' : undefined}>
              <th scope="row">{path}</th>
              <td class="type" data-column="type">
                {type}
              </td>
              <Personal contract={contract} path={path} />
              <td data-column="must match">
                {contract.validations
                  .filter(({ field }) => field === path)
                  .map(({ pattern }) => (
                    <code key={pattern}>{pattern}</code>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Personal({ contract, path }: { contract: Contract; path: string }) {
  const words = useLevelWords()
  const level = contract.levels.get(path)
  const isKey = path === contract.keyField
  return (
    <td data-column="personal">
      {level === undefined ? null : <span class="level">level {words(level)}</span>}
      {level !== undefined && isKey ? ' ' : null}
      {isKey ? <span class="tag">key field</span> : null}
    </td>
  )
}
