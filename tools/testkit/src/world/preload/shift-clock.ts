// Loaded into a service before anything else (`--import`): its clock goes right, but is ahead or behind by as much
// as the environment says. So a run meets the full hour, at which persons get new keyLinks, when it wants.

const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0)
const RealDate = Date
const now = (): number => RealDate.now() + shiftMs

/** Called without arguments it is now; everything else is as it was. */
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, asked) =>
    args.length === 0 ? new RealDate(now()) : Reflect.construct(target, args, asked),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
