// A refusal: each sentence, announced to screen readers immediately, and the page that explains it.
import { Refused, sentencesOf } from '../api/calls.ts'

/** Shows nothing if there is no error. */
export function Problems({ of: error }: { of: unknown }) {
  const sentences = error === undefined ? [] : sentencesOf(error)
  return (
    <div role="alert" class={sentences.length > 0 ? 'problems' : undefined}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <Help page={error instanceof Refused ? error.help : undefined} />
    </div>
  )
}

export const Help = ({ page }: { page: string | undefined }) =>
  page === undefined ? null : (
    <a href={page} target="_blank" rel="noreferrer">
      What to do
    </a>
  )
