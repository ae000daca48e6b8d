// Tracks which of a writer's own changes were read back from Kafka. If the outcome of a commit is unknown, a record of
// the change in the topic proves that the commit succeeded.

/** The record header with the change's id. */
export const changeHeader = 'weir-change'

/** The writer's changes whose records may still arrive. `has` returns whether a record of the change was read. */
export type ChangeLog = {
  expect(id: string): string
  has(id: string): boolean
  forget(id: string): void
}

export function createChangeLog(): ChangeLog & { see(id: string | undefined): void } {
  const expected = new Map<string, boolean>()
  return {
    expect: (id) => (expected.set(id, false), id),
    has: (id) => expected.get(id) === true,
    forget: (id) => void expected.delete(id),
    see(id) {
      if (id !== undefined && expected.has(id)) expected.set(id, true)
    },
  }
}
