// `weir subject show NAME --subject VALUE`: looks up a data subject. The value is sent to the service in the body of a
// request, and never printed.
import type { Command } from 'commander'
import type { Advice } from '../../api/request.ts'
import { misuse } from '../../errors.ts'
import { listAt, textAt, textsAt, valueAt } from '../../json.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'

type ShowOptions = { readonly subject: string }

const advice = {
  404: '`weir stream list` shows the input streams.',
  409: '`weir contract list` shows the contracts.',
} satisfies Advice

export function addSubjectShow(noun: Command, open: OpenSession): void {
  withExamples(
    noun
      .command('show')
      .summary('the number of pseudonyms of a data subject')
      .description(
        'the number of pseudonyms under which a data subject has events that can be decrypted, for each term of 384 days. Only contracts ' +
          'with a data_subject_field count; events of other contracts are not searched. The audit log records the request.',
      )
      .argument('<name>', 'an input stream')
      .requiredOption('--subject <value>', 'the value of the data subject field')
      .action((name: string, options: ShowOptions, command: Command) =>
        show(open(command), name, options.subject),
      ),
    [
      'weir subject show clicks --subject customer-00042',
      'to compare before and after the erasure',
    ],
  )
}

async function show(session: Session, name: string, subject: string): Promise<void> {
  if (subject === '') throw misuse('the value is empty')
  const path = ['streams', name, 'subjects', 'lookup']
  const answer = await session.manage({ method: 'POST', path, json: { subject }, advice })
  session.showList({
    answer,
    items: listAt(answer, 'terms'),
    columns: {
      TERM: (term) => valueAt(term, 'term'),
      FROM: (term) => valueAt(term, 'from'),
      UNTIL: (term) => valueAt(term, 'until'),
      PSEUDONYMS: (term) => valueAt(term, 'links'),
    },
    whenEmpty: `No event that can still be decrypted names this data subject in ${name}.`,
  })
  const naming = listAt(answer, 'contracts').map(
    (contract) => `${textAt(contract, 'id')} (${textAt(contract, 'field')})`,
  )
  session.tell(`Searched: events of ${naming.join(', ')}.`)
  const others = textsAt(answer, 'otherContracts')
  if (others.length > 0)
    session.tell(
      `Not searched: events of ${others.join(', ')}. These contracts have no data subject field.`,
    )
}
