// A preview of a derived stream, computed from stored events: how many pass, and how often each personal field would be
// decrypted.
import type { Preview } from '../api/resources.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { many } from '../ui/words.ts'

export function PreviewTable({ preview }: { preview: Preview }) {
  const { events, passed, filtered, failed, fields } = preview
  const words = useLevelWords()
  if (events === 0) return <p class="muted">No event is stored yet, so there is no preview.</p>
  return (
    <>
      <p>
        Of the newest {many(events, 'event')} <strong>{passed} would pass</strong>, {filtered}{' '}
        {filtered === 1 ? 'lacks' : 'lack'} the consent
        {failed > 0 ? `, ${failed} can't be derived` : ''}.
      </p>
      {fields.length === 0 ? null : (
        <div class="scroller" tabIndex={0} role="region" aria-label="Personal fields">
          <table>
            <thead>
              <tr>
                <th scope="col">contract</th>
                <th scope="col">personal field</th>
                <th scope="col">level</th>
                <th scope="col">decrypted</th>
                <th scope="col">encrypted</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ contract, path, level, opened, sealed }) => (
                <tr key={`${contract} ${path}`}>
                  <td>{contract}</td>
                  <th scope="row">{path}</th>
                  <td>
                    <span class="level">level {words(level)}</span>
                  </td>
                  <td class={opened > 0 ? 'decrypted' : undefined}>{opened}</td>
                  <td class={sealed > 0 ? 'encrypted' : undefined}>{sealed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
