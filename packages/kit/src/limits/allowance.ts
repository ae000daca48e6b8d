// Allows so many things per second, the first ones first: enough against floods, at the cost of two comparisons.

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
