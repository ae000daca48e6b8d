// Records which of a writer's own changes were followed. After a commit with an unknown outcome, a record of the change
// in the log proves that the commit succeeded.

/** The header that names the change a record belongs to. */
export const changeHeader = 'weir-change'

/** The ids of own changes whose records may still arrive. */
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
