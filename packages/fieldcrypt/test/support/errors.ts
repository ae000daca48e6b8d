// Returns code and message of a thrown error. Both are part of the interface.
import { AppError } from '@weir/kit'

export function refusalOf(action: () => unknown): { code: string; message: string } | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message }
  }
}

export async function asyncRefusalOf(
  action: () => Promise<unknown>,
): Promise<{ code: string; message: string } | undefined> {
  const outcome = await action().then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  return (
    outcome &&
    refusalOf(() => {
      throw outcome.error
    })
  )
}

/** The one error for all invalid input. */
export const CORRUPT = {
  code: 'fieldcrypt.corrupt',
  message: 'the encrypted field or its keyLink is not authentic',
}
