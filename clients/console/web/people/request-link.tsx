// Links a person to this session's request. Later sessions don't know the request, because no service stores the
// person.
import { timeOf } from '../api/erasure.ts'
import type { Erasure } from '../api/erasure.ts'
import { hrefOf } from '../place.ts'
import { dateAndTime, many } from '../ui/words.ts'

type Props = { readonly stream: string; readonly request: Erasure | undefined }

export const RequestLink = ({ stream, request }: Props) =>
  request === undefined ? null : (
    <span>
      Request accepted on {dateAndTime(timeOf(request, 'accepted'))}, when{' '}
      {many(request.found, 'event was', 'events were')} found:{' '}
      <a href={hrefOf('erasures', stream, request.id)}>see the request</a>
    </span>
  )
