// Checks a contract's id, and parses its registry ref (spec Versioning, Event contract).

/** Accepts a short name such as `clickstream`, or `<owner>/<name>/<version>` with a semantic version. */
export function isContractId(text: string): boolean {
  if (text.length > idLengthMax) return false
  const [owner = '', name, version, ...rest] = text.split('/')
  if (name === undefined) return namePattern.test(owner)
  return (
    rest.length === 0 &&
    namePattern.test(owner) &&
    namePattern.test(name) &&
    semanticVersionPattern.test(version ?? '')
  )
}

export type SchemaRef = {
  /** The schema's name in the registry: the part of the ref before the slash. */
  readonly subject: string
  /** `latest`, or the version's number as text. */
  readonly version: string
}

/**
 * Parses `<subject>/<version or latest>`. A subject is `<catalog>-<schema name>`. Returns undefined for any other form.
 */
export function parseSchemaRef(text: string): SchemaRef | undefined {
  if (text.length > idLengthMax) return undefined
  const [, subject, version] = refPattern.exec(text) ?? []
  return subject === undefined || version === undefined ? undefined : { subject, version }
}

const idLengthMax = 249
const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*)$/
const refPattern =
  /^([A-Za-z0-9][A-Za-z0-9._]*-[A-Za-z0-9_][A-Za-z0-9._-]*)\/(latest|[1-9][0-9]{0,8})$/
// semver.org, 2.0.0
const semanticVersionPattern =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/
