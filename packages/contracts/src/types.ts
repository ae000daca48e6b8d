// The forms of a contract: the body of `POST /v2/contracts`, the checked form in a control record, and the compiled
// form that the services run. Types only.
import type { Fields } from './avro/values.ts'
import type { Stamp } from './envelope.ts'

/** Both return the same as RegExp.test, in linear time: V8 runs only patterns that are proved linear. */
export type Engine = 'v8' | 're2'

export type Validation = {
  readonly field: string
  readonly type: 'regex'
  readonly value: string
  readonly engine: Engine
}

/** The body of `POST /v2/contracts`. */
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

/** One event of a contract, as `avro/values.ts` represents it in memory. */
export type Event = Fields

/**
 * What ingest needs to turn a producer's body into an event that may be stored. The readers throw ContractsError
 * `contracts.undecodable`, with one line that names the field.
 */
export type EventIntake = {
  /** JSON may omit the members of svcMeta that `stamp` sets. They are null until then. */
  readonly readJson: (body: Buffer) => Event
  /** Like `decode`, but cheaper, for an event that only these functions and `encode` use. */
  readonly skimAvro: (body: Buffer) => Event
  /** Undefined if the key is null or empty. */
  readonly keyOf: (event: Event) => string | undefined
  /**
   * The sentence of the first validation, in the contract's order, that fails (spec Errors). Another sentence if values
   * are too long for the patterns. `steps` is the result of `validationSteps`, if the caller already has it.
   */
  readonly firstViolation: (event: Event, steps?: number) => string | undefined
  /** The maximum cost of `firstViolation`, in steps of ten nanoseconds. Callers that share a thread use it. */
  readonly validationSteps: (event: Event) => number
  /** How many texts `mapPii` would find. Each element of a list counts. */
  readonly personalValues: (event: Event) => number
}

/** Finds the personal values of an event, and sets the service's own. */
export type EventFields = {
  /** Undefined if the value is null or empty, or if the contract names no data subject. */
  readonly dataSubjectOf: (event: Event) => string | undefined
  /** Changes the event: fills in every member of svcMeta that the service sets. */
  readonly stamp: (event: Event, stamp: Stamp) => void
  /** Changes the event: replaces every personal text that isn't null by the result of `replace`. */
  readonly mapPii: (
    event: Event,
    replace: (text: string, path: string, level: number) => string,
  ) => void
}

/** Writes and reads events in their stored form. */
export type EventCodec = {
  /** Returns the raw Avro datum, after the bytes of `before` if these are given. */
  readonly encode: (event: Event, before?: Uint8Array) => Buffer
  /** Reads what `encode` or a producer wrote. @throws ContractsError `contracts.undecodable` */
  readonly decode: (payload: Buffer) => Event
  /**
   * Like `decode`, but only the consent levels, the time and the personal texts become values. Everything else is
   * checked, and `encode` copies it from `payload`. The caller must not change `payload` before that.
   */
  readonly decodePersonal: (payload: Buffer) => Event
  /** JSON for people: unions flattened. */
  readonly toPlain: (event: Event) => unknown
}

/** One object per contract and process. A caller's type names only the groups of functions that it needs. */
export type Contract = EventIntake &
  EventFields &
  EventCodec & {
    readonly id: string
    readonly keyField: string
    /** The levels of the contract's personal fields, ascending, without duplicates. */
    readonly levels: readonly number[]
  }
