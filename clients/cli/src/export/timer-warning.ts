// Hides a harmless warning of Node 24 about a timer of kafkajs. The warning would disturb users, and programs that read
// standard error. Other warnings are shown.

export function hideTimerWarning(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'TimeoutNegativeWarning') return
    for (const listener of listeners) listener(warning)
  })
}
