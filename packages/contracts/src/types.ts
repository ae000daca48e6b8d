// The forms of a contract: the body of `POST /v2/contracts`, the checked form in a control record, and the compiled
// form that the services run. Types only.
import type { Fields } from './avro/values.ts'
import type { Stamp } from './envelope.ts'

/** Both engines return the same as RegExp.test, in linear time: V8 runs only patterns that are proved linear. */
export type Engine = 'v8' | 're2'

export type Validation = {
  readonly field: string
  readonly type: 'regex'
  readonly value: string
  readonly engine: Engine
}

export type ContractDefinition = {
  readonly id: string
  readonly schema: {
    readonly schema_type: 'avro'
    readonly schema_registry_ref: string
    readonly definition?: object | string
  }
  readonly validations: readonly {
    readonly field: string
    readonly type: string
    readonly value: string
  }[]
  readonly key_field: string
  readonly pii_fields: Readonly<Record<string, number>>
  readonly data_subject_field?: string
}

/** A definition that has passed every check, with its schema text and the engine of each pattern. Plain JSON. */
export type PreparedContract = {
  readonly id: string
  readonly schemaText: string
  readonly validations: readonly Validation[]
  readonly keyField: string
  readonly piiFields: Readonly<Record<string, number>>
  readonly dataSubjectField?: string
}

/** An event in memory, as in `avro/values.ts`. */
export type Event = Fields

/**
 * The functions with which ingest reads and checks a producer's body. `readJson` and `skimAvro` throw ContractsError
 * `contracts.undecodable`, with one line that names the field.
 */
export type EventIntake = {
  /** The JSON may omit members of svcMeta that `stamp` sets. They are null until `stamp` is called. */
  readonly readJson: (body: Buffer) => Event
  /**
   * Like `decode`, but cheaper: reads only fields that the contract's functions need. `encode` accepts the event,
   * `toPlain` does not.
   */
  readonly skimAvro: (body: Buffer) => Event
  /** Returns undefined if the key is null or empty. */
  readonly keyOf: (event: Event) => string | undefined
  /**
   * Returns the sentence of the first validation, in the contract's order, that fails (spec Errors), or another
   * sentence if values are too long for the patterns. Returns undefined if all validations pass. `steps` is the result
   * of `validationSteps`, if the caller already has it.
   */
  readonly firstViolation: (event: Event, steps?: number) => string | undefined
  /** Returns the maximum cost of `firstViolation` (pattern/steps.ts). */
  readonly validationSteps: (event: Event) => number
  /** Returns how many texts `mapPii` would find. Each element of a list counts. */
  readonly personalValues: (event: Event) => number
}

export type EventFields = {
  /** Returns undefined if the value is null or empty, or if the contract has no data subject field. */
  readonly dataSubjectOf: (event: Event) => string | undefined
  /** Changes the event: fills in every member of svcMeta that the service sets. */
  readonly stamp: (event: Event, stamp: Stamp) => void
  /** Changes the event: replaces every personal text that isn't null by the result of `replace`. */
  readonly mapPii: (
    event: Event,
    replace: (text: string, path: string, level: number) => string,
  ) => void
}

export type EventCodec = {
  /** Returns the raw Avro datum, preceded by the bytes of `before`, if any. */
  readonly encode: (event: Event, before?: Uint8Array) => Buffer
  /** Reads what `encode` or a producer wrote. @throws ContractsError `contracts.undecodable` */
  readonly decode: (payload: Buffer) => Event
  /**
   * Like `decode`, but only the consent levels, the time and the personal texts become values. All other fields are
   * checked. `encode` copies them from `payload`, so the caller must not change it.
   */
  readonly decodePersonal: (payload: Buffer) => Event
  /** Returns JSON for people, which does not name the branches of unions. */
  readonly toPlain: (event: Event) => unknown
}

/** One object per contract and process. */
export type Contract = EventIntake &
  EventFields &
  EventCodec & {
    readonly id: string
    readonly keyField: string
    /** The levels of the contract's personal fields, ascending, without duplicates. */
    readonly levels: readonly number[]
  }
