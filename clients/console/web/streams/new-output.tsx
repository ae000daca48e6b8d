// Creating a derived stream: its levels, and a preview of what it would decrypt of the input's newest events.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import type { Input, LevelType } from '../api/account.ts'
import { previewOf } from '../api/resources.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { readLevels } from './output-levels.ts'
import { PreviewTable } from './preview-table.tsx'
import { credentialsIn, SecretsDialog } from './secrets.tsx'
import type { Credentials } from './secrets.tsx'

type Props = {
  readonly calls: Calls
  readonly input: Input
  readonly onClose: () => void
  readonly onDone: () => void
}

export function NewOutput({ calls, input, onClose, onDone }: Props) {
  const [name, setName] = useState('')
  const [levelText, setLevelText] = useState('0')
  const [type, setType] = useState<LevelType>('CUMULATIVE')
  const [from, setFrom] = useState('now')
  const [decryptAt, setDecryptAt] = useState<DecryptAt>('output')
  const [made, setMade] = useState<Credentials>()
  const { levels, problem } = readLevels(levelText, type)
  const making = useDoing(async () => {
    const body = { name, consentLevels: levels, consentLevelType: type, from, decryptAt }
    setMade(credentialsIn(await calls.auth('POST', `/v2/streams/${input.name}/outputs`, body)))
    onDone()
  })
  if (made !== undefined)
    return <SecretsDialog {...{ name, onClose }} use="kafka" credentials={made} />
  return (
    <Dialog title={`New output of ${input.name}`} wide onClose={onClose}>
      <form onSubmit={making.onSubmit}>
        <div class="two">
          <label>
            Name
            <input
              required
              maxLength={63}
              value={name}
              onInput={(event) => {
                setName(event.currentTarget.value)
                making.forget()
              }}
            />
          </label>
          <label>
            Start from
            <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
              <option value="now">new events</option>
              <option value="earliest">the earliest stored event</option>
            </select>
          </label>
          <Levels value={levelText} {...{ type, problem }} onValue={setLevelText} />
          <Decrypts type={type} onType={setType} />
        </div>
        <DecryptedBy value={decryptAt} onValue={setDecryptAt} />
        {levels === undefined ? null : <Preview {...{ calls, input, type, levels }} />}
        <Problems of={making.error} />
        <footer>
          <button type="submit" class="main" disabled={making.isDoing || problem !== undefined}>
            {making.isDoing ? 'Creating …' : 'Create output'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

type LevelsProps = {
  readonly value: string
  readonly type: LevelType
  readonly problem: string | undefined
  readonly onValue: (value: string) => void
}

function Levels({ value, type, problem, onValue }: LevelsProps) {
  return (
    <label>
      Levels{' '}
      <span class="hint">
        {type === 'CUMULATIVE' ? 'one, 0 to 255' : 'one or more, such as 1, 3'}
      </span>
      <input
        required
        aria-invalid={problem !== undefined}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {problem === undefined ? null : (
        <span role="alert" class="problem">
          {problem}
        </span>
      )}
    </label>
  )
}

function Decrypts({ type, onType }: { type: LevelType; onType: (type: LevelType) => void }) {
  return (
    <label>
      Decrypts
      <select
        value={type}
        onChange={(event) =>
          onType(event.currentTarget.value === 'GRANULAR' ? 'GRANULAR' : 'CUMULATIVE')
        }
      >
        <option value="CUMULATIVE">the level and all below it (CUMULATIVE)</option>
        <option value="GRANULAR">exactly these levels (GRANULAR)</option>
      </select>
    </label>
  )
}

type DecryptAt = 'output' | 'reader'
type DecryptedByProps = { value: DecryptAt; onValue: (value: DecryptAt) => void }

function DecryptedBy({ value, onValue }: DecryptedByProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value === 'reader'}
        onChange={(event) => onValue(event.currentTarget.checked ? 'reader' : 'output')}
      />
      <span>
        Readers decrypt (erasure reaches copies){' '}
        <span class="hint">
          Kafka then contains only encrypted values, and your readers ask Weir for keys. This cannot
          be changed later.
        </span>
      </span>
    </label>
  )
}

type PreviewProps = { calls: Calls; input: Input; type: LevelType; levels: readonly number[] }

function Preview({ calls, input, type, levels }: PreviewProps) {
  const preview = useLoad(
    () => previewOf(calls, input.name, { levels, type }),
    [calls, input, type, levels.join()],
  )
  return (
    <section class="preview" aria-label="Preview">
      <h3>Preview</h3>
      {preview.error !== undefined ? (
        <Problems of={preview.error} />
      ) : preview.value === undefined ? (
        <p class="muted">Reading the newest events …</p>
      ) : (
        <PreviewTable preview={preview.value} />
      )}
    </section>
  )
}
