// Warns that a shorter retention deletes events, or the keys of their personal fields, for good. The user confirms the
// change by typing the name.
import type { Advice } from '../api/request.ts'
import { misuse } from '../errors.ts'
import { valueAt } from '../json.ts'
import type { Session } from '../session.ts'

export type Retention = {
  readonly retentionHours?: number | 'broker'
  readonly keyRetentionDays?: number
}

type Target = { readonly name: string; readonly path: readonly string[]; readonly advice: Advice }

export function requireChange(settings: object): void {
  if (Object.values(settings).some((value) => value !== undefined)) return
  throw misuse('there is nothing to change', 'Add an option, for example --retention-hours 720.')
}

type OfOwners = Retention & { readonly rate?: string; readonly count?: string }

/** Returns the advice for a 403: the service's message may name a lower role, which is not enough for these options. */
export function needsOwner({ rate, count, retentionHours, keyRetentionDays }: OfOwners): Advice {
  const given = [
    rate && '--rate',
    count && '--count',
    retentionHours && '--retention-hours',
    keyRetentionDays && '--key-retention-days',
  ].filter((option) => typeof option === 'string')
  return given.length === 0
    ? {}
    : { 403: `${given.join(' and ')}: only with a key that has the role owner.` }
}

/** Asks before anything is lost. Reads the current values only if it can ask a person. */
export async function confirmLosses(
  session: Session,
  { name, path, advice }: Target,
  { yes, ...wanted }: Retention & { readonly yes?: boolean },
): Promise<void> {
  const changes = Object.values(wanted).some((value) => value !== undefined)
  if (!changes || yes || !session.terminal.isInteractive) return
  const present = await session.manage({ method: 'GET', path, advice })
  const losses = lossesOf(name, present, wanted)
  if (losses.length > 0) await session.confirm({ question: losses.join('\n'), name }, yes)
}

export const lossesOf = (
  name: string,
  present: unknown,
  { retentionHours, keyRetentionDays }: Retention,
): readonly string[] =>
  [
    eventLoss(name, valueAt(present, 'retentionHours'), retentionHours),
    keyLoss(name, valueAt(present, 'keyRetentionDays'), keyRetentionDays),
  ].filter((loss) => loss !== undefined)

/** Only Kafka knows how long `broker` is, so a change from or to `broker` may always delete events. */
function eventLoss(
  name: string,
  before: unknown,
  hours: number | 'broker' | undefined,
): string | undefined {
  if (hours === undefined || hours === before) return undefined
  const until = typeof before === 'number' ? timeInWords(before) : undefined
  if (hours === 'broker')
    return `Kafka then keeps the events of ${name} as long as its own setting says${until === undefined ? '' : `, instead of ${until}`}. If this is shorter, it deletes older events for good.`
  if (typeof before === 'number' && hours > before) return undefined
  const since = new Date(Math.max(0, Date.now() - hours * 3_600_000)).toISOString()
  return (
    `Kafka then deletes all events of ${name} that are older than ${timeInWords(hours)} (stored before ` +
    `${since.slice(0, 16)}Z), for good. Now it keeps them ${until === undefined ? 'as long as its own setting says' : `for ${until}`}.`
  )
}

function keyLoss(name: string, before: unknown, days: number | undefined): string | undefined {
  if (days === undefined || typeof before !== 'number' || days >= before) return undefined
  return (
    `This keeps the keys of ${name} for ${days} instead of ${before} days. Older keys are destroyed for good: ` +
    'then nobody can decrypt the personal fields of those events.'
  )
}

const timeInWords = (hours: number): string =>
  hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour')

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
