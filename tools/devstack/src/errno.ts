// Classifies operating system errors. It checks only the code, because under a test runner errors of Node's own modules
// aren't instances of the global Error.

export function hasErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}
