// What goes into a contract and what comes out: the body of `POST /v2/contracts`, the checked form that a
// control record keeps, and the compiled form that the services run on. Types only.
import type { Fields } from './avro/values.ts'
import type { Stamp } from './envelope.ts'

/** Both answer as RegExp.test does, in linear time: V8 because that is proved, re2js by construction. */
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

/** A definition that has passed every check, with its schema text and engines settled. Plain JSON. */
export type PreparedContract = {
  readonly id: string
  readonly schemaText: string
  readonly validations: readonly Validation[]
  readonly keyField: string
  readonly piiFields: Readonly<Record<string, number>>
  readonly dataSubjectField?: string
}

/** One event of a contract, as it lies in memory: `avro/values.ts`. */
export type Event = Fields

/**
 * From what a producer sent to an event that may be stored, for ingest. The readers throw ContractsError
 * `contracts.undecodable` with one line naming the field.
 */
export type EventIntake = {
  readonly readJson: (body: Buffer) => Event
  /** As `decode`, for an event that goes through the functions here and `encode` alone: cheaper. */
  readonly skimAvro: (body: Buffer) => Event
  /** Undefined when it is null or empty. */
  readonly keyOf: (event: Event) => string | undefined
  /**
   * The whole sentence of the first validation, in the contract's order, that fails (spec Errors); another where
   * values are too long for the patterns. `steps`: those of `validationSteps`, where the caller has asked already.
   */
  readonly firstViolation: (event: Event, steps?: number) => string | undefined
  /** What `firstViolation` costs at most, in steps of ten nanoseconds; for those who share a thread. */
  readonly validationSteps: (event: Event) => number
  /** How many texts `mapPii` would find, elements of lists included. */
  readonly personalValues: (event: Event) => number
}

/** Where in an event lies what is personal, and what is the service's. */
export type EventFields = {
  /** Undefined when it is null or empty, or when the contract names no data subject. */
  readonly dataSubjectOf: (event: Event) => string | undefined
  /** Changes the event: fills in every member of svcMeta that is the service's. */
  readonly stamp: (event: Event, stamp: Stamp) => void
  /** Changes the event: every PII text that isn't null becomes what `replace` answers. */
  readonly mapPii: (
    event: Event,
    replace: (text: string, path: string, level: number) => string,
  ) => void
}

/** An event as it is stored. */
export type EventCodec = {
  /** The raw Avro datum, right behind `before` where that is given. */
  readonly encode: (event: Event, before?: Uint8Array) => Buffer
  /** Reads what `encode` wrote, or a producer. @throws ContractsError `contracts.undecodable` */
  readonly decode: (payload: Buffer) => Event
  /**
   * As `decode`, but only the consent levels, the time and the PII texts are values: all else is checked, and carried over by
   * `encode` as it is, from `payload`, which must not change meanwhile.
   */
  readonly decodePersonal: (payload: Buffer) => Event
  /** JSON for people: unions flattened. */
  readonly toPlain: (event: Event) => unknown
}

/** One per contract and process. Whoever needs one kind of its functions takes that kind. */
export type Contract = EventIntake &
  EventFields &
  EventCodec & {
    readonly id: string
    readonly keyField: string
    /** The levels that its PII fields have, ascending, each once. */
    readonly levels: readonly number[]
  }
