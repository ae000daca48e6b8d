// Erases the people in a CSV file. The page searches and shows all people before any is erased. The results, with the
// salts, are a file, too.
import { useState } from 'preact/hooks'
import type { Session } from '../../session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { many } from '../../ui/words.ts'
import { Erasing } from './erasing.tsx'
import { ManyTable } from './many-table.tsx'
import { Due, Reference } from '../../ui/request-fields.tsx'
import { outcomesFile, peopleMax, readPeople } from './people-file.ts'
import type { Asked, PeopleFile } from './people-file.ts'
import type { Fields } from '../searched-fields.tsx'
import { linesOf, toErase, toRecord } from './person.ts'
import type { Person } from './person.ts'
import { useMany } from './use-many.ts'
import type { ForAll } from './use-many.ts'

type Props = { readonly session: Session; readonly fields: Fields; readonly onClose: () => void }

export function ManyDialog({ session, fields, onClose }: Props) {
  const [forAll, setForAll] = useState<ForAll>({ reference: '', dueOn: '', records: false })
  const { people, start, searching, erasing } = useMany(session, forAll)
  const [{ notes, problems }, setSaid] = useState<Said>({ notes: [], problems: [] })
  const [isSaved, setSaved] = useState(true)
  const onFile = async (file: File | undefined): Promise<void> => {
    const naming = fields.value?.contracts.flatMap(({ by }) => by)
    const read = readPeople((await file?.text()) ?? '', naming)
    setSaid(read)
    start(read.problems.length > 0 ? [] : read.people)
  }
  const onErase = (event: Event): void => {
    setSaved(false)
    erasing.onSubmit(event)
  }
  const isBusy = searching.isDoing || erasing.isDoing
  return (
    <Dialog
      title="Erase many people"
      wide
      guard={
        isSaved ? undefined : 'The results are not saved, and the salts are never shown again.'
      }
      onClose={onClose}
    >
      {isSaved ? (
        <FileChoice {...{ isBusy, notes, problems }} onFile={(file) => void onFile(file)} />
      ) : null}
      {people.every(({ outcomes }) => outcomes.length === 0) ? (
        <FieldsForAll {...forAll} onChange={(change) => setForAll({ ...forAll, ...change })} />
      ) : null}
      {people.length === 0 ? null : <ManyTable people={people} />}
      <Unreferenced people={people} />
      <p role="status">{progressOf(people, isBusy)}</p>
      <Steps
        {...{ people, isBusy, onErase }}
        onSearch={searching.run}
        onSaved={() => setSaved(true)}
        records={forAll.records}
        onRecords={(records) => setForAll({ ...forAll, records })}
      />
    </Dialog>
  )
}

type Said = Pick<PeopleFile, 'notes' | 'problems'>

type FileProps = Said & {
  readonly isBusy: boolean
  readonly onFile: (file: File | undefined) => void
}

const FileChoice = ({ isBusy, notes, problems, onFile }: FileProps) => (
  <>
    <label>
      A CSV file with one person per line, at most {peopleMax}{' '}
      <span class="hint">
        The first line names the columns: <code>value</code>, and if you like <code>reference</code>{' '}
        and <code>due</code> (such as 2026-12-24 or 24.12.2026), with commas, semicolons or tabs
        between them. A value is what you would search for. Its column may also have the name of a
        field by which people are searched.
      </span>
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        disabled={isBusy}
        // Allows the user to choose the same file again after correcting it.
        onClick={(event) => (event.currentTarget.value = '')}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
    <div role="alert" class={problems.length > 0 ? 'problems' : undefined}>
      {problems.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
    <div role="status">
      {problems.length > 0 ? null : notes.map((note) => <p key={note}>{note}</p>)}
    </div>
  </>
)

type FieldsProps = Omit<Asked, 'value'> & {
  readonly onChange: (change: Partial<Omit<Asked, 'value'>>) => void
}

const FieldsForAll = ({ reference, dueOn, onChange }: FieldsProps) => (
  <div class="two">
    <Reference
      of=" of lines without one"
      value={reference}
      onValue={(value) => onChange({ reference: value })}
    />
    <Due
      of=" in lines without a date"
      value={dueOn}
      onValue={(value) => onChange({ dueOn: value })}
    />
  </div>
)

/** Warns of people without a reference, by which their requests could be found later. */
function Unreferenced({ people }: { readonly people: readonly Person[] }) {
  const without = people.filter(
    ({ asked, outcomes }) => asked.reference === '' && outcomes.length === 0,
  )
  return without.length === 0 ? null : (
    <p class="problems">
      {many(without.length, 'person has', 'people have')} no reference: their requests cannot be
      found again by it.
    </p>
  )
}

function progressOf(people: readonly Person[], isBusy: boolean): string {
  if (people.length === 0) return ''
  const done = people.filter(({ search }) => search !== undefined).length
  const outcomes = people.flatMap((person) => person.outcomes)
  const accepted = outcomes.filter(({ problem }) => problem === '').length
  const withRequest = people.filter((person) =>
    person.outcomes.some(({ problem }) => problem === ''),
  ).length
  const what =
    outcomes.length > 0
      ? `${many(accepted, 'request')} accepted. ${withRequest} of the ${many(people.length, 'person', 'people')} in the file ${withRequest === 1 ? 'has' : 'have'} a request`
      : `${done} of ${many(people.length, 'person', 'people')} searched`
  return isBusy ? `${what} …` : `${what}.`
}

type StepsProps = {
  readonly people: readonly Person[]
  readonly isBusy: boolean
  readonly onSearch: () => void
  readonly onErase: (event: Event) => void
  readonly onSaved: () => void
  readonly records: boolean
  readonly onRecords: (records: boolean) => void
}

function Steps({ people, isBusy, onSearch, onErase, onSaved, ...choice }: StepsProps) {
  const unsearched = people.filter(({ search }) => search === undefined).length
  const found = people.filter((person) => toErase(person).length > 0).length
  const nowhere = people.filter((person) => toRecord(person).length > 0).length
  const isDone = people.length > 0 && unsearched === 0 && found === 0
  const outcomes = people.flatMap((person) => person.outcomes)
  const onSave = (): void => {
    saveFile(
      new Blob([outcomesFile(people.flatMap(linesOf))], { type: 'text/csv' }),
      'erasures.csv',
    )
    onSaved()
  }
  return (
    <>
      {isDone && outcomes.length === 0 ? (
        <p>Nobody in this file can be erased: they were found nowhere, or are erased already.</p>
      ) : null}
      {found + nowhere > 0 && unsearched === 0 ? (
        <Erasing {...{ found, nowhere, isBusy, onErase, ...choice }} />
      ) : null}
      <footer class="actions">
        {unsearched > 0 ? (
          <button type="button" class="main" disabled={isBusy} onClick={onSearch}>
            Search {many(unsearched, 'person', 'people')} in all streams
          </button>
        ) : null}
        {outcomes.length > 0 ? (
          <button type="button" class="main" disabled={isBusy} onClick={onSave}>
            Save the results with the salts
          </button>
        ) : null}
      </footer>
    </>
  )
}
