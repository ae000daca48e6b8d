// Loaded into a service before anything else (`--import`). The service's clock then runs normally, but ahead or behind
// by the value of a variable. So a test can choose when a new rotation period, era or term begins.

const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0)
const RealDate = Date
const now = (): number => RealDate.now() + shiftMs

/** Without arguments, `Date` returns the shifted time. With arguments, it is unchanged. */
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, asked) =>
    args.length === 0 ? new RealDate(now()) : Reflect.construct(target, args, asked),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
