// Permits a number of operations per second, and refuses further operations. This is enough against floods, and costs
// two comparisons.

export type Allowance = { take(): boolean }

export function createAllowance(perSecond: number, nowMs = () => performance.now()): Allowance {
  let secondMs = nowMs()
  let left = perSecond
  return {
    take() {
      const now = nowMs()
      if (now - secondMs >= 1_000) {
        secondMs = now
        left = perSecond
      }
      if (left <= 0) return false
      left -= 1
      return true
    },
  }
}
