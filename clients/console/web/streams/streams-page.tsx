// The account's streams, each input as a picture with its outputs, and how they are created and deleted.
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import type { Input, Output } from '../api/account.ts'
import { listInputs } from '../api/resources.ts'
import { hrefOf } from '../place.ts'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import type { Doomed } from './delete-dialog.tsx'
import { keptInWords } from './kept.ts'
import { NewOutput } from './new-output.tsx'
import { NewStream } from './new-stream.tsx'
import { OutputList } from './output-list.tsx'
import { Picture } from './picture.tsx'
import { RebuildDialog } from './rebuild-dialog.tsx'
import { useFlows } from './use-flows.ts'
import type { Flow } from './use-flows.ts'

type Asked =
  | { readonly for: 'stream' }
  | { readonly for: 'output'; readonly input: Input }
  | { readonly for: 'deletion'; readonly doomed: Doomed }
  | { readonly for: 'rebuild'; readonly output: Output }

const none: readonly Input[] = []
/** The interval at which the page checks whether a rebuild is done. */
const rebuildMs = 3_000

export function StreamsPage({ session }: PageProps) {
  const { calls } = session
  const inputs = useLoad(() => listInputs(calls), [calls])
  const flows = useFlows(calls, inputs.value ?? none)
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    const isRebuilding = inputs.value?.some(({ outputs }) =>
      outputs.some(({ rebuild }) => rebuild === 'running'),
    )
    if (!isRebuilding) return
    const timer = setTimeout(inputs.reload, rebuildMs)
    return () => clearTimeout(timer)
  }, [inputs.value])
  const close = (): void => setAsked(undefined)
  const props = { calls, onClose: close, onDone: inputs.reload }
  return (
    <>
      <div class="title">
        <h1>Streams</h1>
        {session.may('developer') ? (
          <button type="button" class="main" onClick={() => setAsked({ for: 'stream' })}>
            New stream
          </button>
        ) : null}
      </div>
      <Problems of={inputs.error} />
      {inputs.value?.length === 0 ? (
        <p class="empty">
          There is no stream yet. Create a stream. Weir encrypts personal fields before it stores an
          event, and each output decrypts only the fields that people agreed to.
        </p>
      ) : null}
      <div class="stack">
        {inputs.value?.map((input) => (
          <InputCard key={input.name} {...{ session, input, flows }} onAsk={setAsked} />
        ))}
      </div>
      {asked?.for === 'stream' ? <NewStream {...props} /> : null}
      {asked?.for === 'output' ? <NewOutput {...props} input={asked.input} /> : null}
      {asked?.for === 'rebuild' ? <RebuildDialog {...props} output={asked.output} /> : null}
      {asked?.for === 'deletion' ? <DeleteDialog {...props} doomed={asked.doomed} /> : null}
    </>
  )
}

type CardProps = {
  readonly session: PageProps['session']
  readonly input: Input
  readonly flows: ReadonlyMap<string, Flow>
  readonly onAsk: (asked: Asked) => void
}

function InputCard({ session: { calls, may }, input, flows, onAsk }: CardProps) {
  const onAskOf = (wanted: 'deletion' | 'rebuild', output: Output): void =>
    onAsk(
      wanted === 'rebuild'
        ? { for: 'rebuild', output }
        : { for: 'deletion', doomed: { input, output } },
    )
  return (
    <section class="card" aria-label={`Stream ${input.name}`}>
      <header>
        <h2>{input.name}</h2>
        <span class="muted small">
          rotation period {input.rotationHours} h, keys kept for {input.keyRetentionDays} days,
          events kept{' '}
          {input.kept === 'broker' ? (
            <a href={`${calls.where.authUrl}/docs/forgetting.html#what-remains`}>
              {keptInWords(input.kept)}
            </a>
          ) : (
            keptInWords(input.kept)
          )}
        </span>
        <span class="actions">
          {may('developer') ? (
            <>
              <a class="button" href={hrefOf('live', input.name)}>
                Watch live
              </a>
              <button type="button" onClick={() => onAsk({ for: 'output', input })}>
                New output
              </button>
            </>
          ) : null}
          {may('owner') ? (
            <button
              type="button"
              class="quiet"
              onClick={() => onAsk({ for: 'deletion', doomed: { input } })}
            >
              Delete<span class="unseen"> {input.name}</span>
            </button>
          ) : null}
        </span>
      </header>
      <div class="scroller" tabIndex={0} role="region" aria-label={`Picture of ${input.name}`}>
        <Picture input={input} flows={flows} />
      </div>
      <OutputList input={input} onAsk={may('owner') ? onAskOf : undefined} />
    </section>
  )
}
