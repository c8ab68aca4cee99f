/**
 * Preloaded into a service: a wall clock that is controlled by messages. Everything that reads the time of day sees it;
 * the monotonic clock, timers and other processes do not.
 */
interface Setting {
  readonly offsetMs: number;
  /** The clock is frozen. */
  readonly isFrozen: boolean;
}

const TrueDate = Date;
let offsetMs = Number(process.env.CAMPAIGN_CLOCK_OFFSET_MS ?? 0);
let frozenAt: number | null = null;
const now = (): number => frozenAt ?? TrueDate.now() + offsetMs;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

process.on('message', (setting: Setting) => {
  offsetMs = setting.offsetMs;
  frozenAt = null;
  if (setting.isFrozen) frozenAt = now();
  process.send?.({ now: now() });
});
// The listener must not keep the process alive.
process.channel?.unref();
