// The result of a run, as text and as JSON.
import type { Checked } from './check/check-world.ts'
import type { Violation } from './check/violations.ts'
import type { Storm } from './faults/plan.ts'
import type { SendOutcome } from './ledger.ts'

export type Report = {
  readonly seed: number
  readonly seconds: number
  readonly breakage: string | undefined
  readonly faults: Readonly<Record<string, number>>
  /** The responses of brokers that were lost or changed on purpose, by kind of request. */
  readonly tampered: Readonly<Record<string, number>>
  readonly calmSpells: number
  /** The longest time after a storm until every replica of ingest stored events again. */
  readonly storedAgainMs: number
  /** The longest time after a storm until every derived stream had caught up. */
  readonly derivedAgainMs: number
  readonly events: Readonly<Record<SendOutcome, number>>
  readonly checked: Checked
  /** The number of derived records that a program without code of Weir has read. */
  readonly fromOutside: number
  /** The number of events that readers have decrypted, some of them many times. */
  readonly readings: number
  readonly violations: number
  readonly violationsBySort: Readonly<Record<string, number>>
  readonly shown: readonly Violation[]
  /** The planned faults, to repeat the run. */
  readonly storms: readonly Storm[]
}

export function reportText(report: Report): string {
  const { events, checked } = report
  const lines = [
    `seed ${report.seed}, ${report.seconds} s${report.breakage === undefined ? '' : `, broken: ${report.breakage}`}`,
    `faults: ${listOf(report.faults)}`,
    `responses lost or changed: ${listOf(report.tampered)}`,
    `calm spells: ${report.calmSpells}; everything stored again within ${report.storedAgainMs} ms, derived within ${report.derivedAgainMs} ms`,
    `events: ${events.acknowledged} acknowledged, ${events.refused} refused, ${events.unknown} unknown`,
    `checked: ${checked.inputRecords} input records, ${checked.derivedRecords} records and ${checked.deadLetters} dead letters of ${checked.derivedStreams} derived streams, ${checked.personsOfSeveralEpochs} persons across a full hour, ${checked.lostToRetention} lost to retention on purpose`,
    `checked from outside: ${report.fromOutside} derived records; events decrypted by readers: ${report.readings}`,
    ...report.shown.map(({ sort, where, what }) => `  ${sort}: ${where}: ${what}`),
    report.violations === 0
      ? 'no violations'
      : `${report.violations} violations: ${listOf(report.violationsBySort)}`,
  ]
  return lines.join('\n')
}

const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'none'
