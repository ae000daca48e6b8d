// kafkajs sets a timer for a moment in the past, which is harmless. Node 24 warns of it once on standard error, which
// would disturb users and programs that read the messages there. All other warnings stay.

export function hideTimerWarning(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'TimeoutNegativeWarning') return
    for (const listener of listeners) listener(warning)
  })
}
