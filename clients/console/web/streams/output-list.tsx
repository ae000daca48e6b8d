// The derived streams of one input, one per row, with their actions.
import type { Input, Output } from '../api/account.ts'
import { levelsInWords } from '../live/levels.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { dateAndTime } from '../ui/words.ts'
import { keptInWords } from './kept.ts'

type Props = {
  readonly input: Input
  /** Undefined if the key may neither delete nor rebuild. */
  readonly onAsk: ((wanted: 'deletion' | 'rebuild', output: Output) => void) | undefined
}

export function OutputList({ input: { outputs }, onAsk }: Props) {
  const words = useLevelWords()
  if (outputs.length === 0) return null
  return (
    <details>
      <summary>Outputs: levels, retention and topics</summary>
      <div class="scroller" tabIndex={0} role="region" aria-label="Outputs">
        <table class="by-row">
          <thead>
            <tr>
              <th scope="col">output</th>
              <th scope="col">gets events with consent to</th>
              <th scope="col">decrypts</th>
              <th scope="col">keeps events</th>
              <th scope="col">topic</th>
              <th scope="col">
                <span class="unseen">actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {outputs.map((output) => (
              <tr key={output.name}>
                <th scope="row">{output.name}</th>
                <td data-column="gets events with consent to">
                  {output.levels.map(words).join(' and ')}
                </td>
                <td data-column="decrypts">
                  {levelsInWords(output, words)}
                  {output.keyMaxAgeSeconds === undefined
                    ? null
                    : `, by readers, who keep keys for ${output.keyMaxAgeSeconds} s`}
                </td>
                <td data-column="keeps events">
                  {keptInWords(output.kept)}
                  {rebuiltInWords(output)}
                </td>
                <td data-column="topic">
                  <code>{output.topic}</code>
                </td>
                <td>
                  {onAsk === undefined ? null : (
                    <>
                      <button type="button" class="quiet" onClick={() => onAsk('rebuild', output)}>
                        Rebuild<span class="unseen"> {output.name}</span>
                      </button>
                      <button type="button" class="quiet" onClick={() => onAsk('deletion', output)}>
                        Delete<span class="unseen"> {output.name}</span>
                      </button>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function rebuiltInWords({ rebuild }: Output): string {
  if (rebuild === '') return ''
  return rebuild === 'running' ? ', being rebuilt' : `, rebuilt ${dateAndTime(rebuild)}`
}
