import type { CallEvent, Command, TimerName } from './events.ts';

/** The commands of one step, and the deadlines of the timers that they set. */
export class CommandList {
  now = 0;
  /** While a transport is gone, no timer is set. */
  isSuspended = false;
  private commands: Command[] = [];
  private readonly deadlines = new Map<TimerName, number>();

  push(command: Command): void {
    this.commands.push(command);
  }

  take(): Command[] {
    const { commands } = this;
    this.commands = [];
    return commands;
  }

  emit(event: CallEvent): void {
    this.commands.push({ type: 'emit', event });
  }

  /** A deadline in the past fires at once. */
  setTimer(name: TimerName, at: number): void {
    if (this.isSuspended || this.deadlines.get(name) === at) return;
    this.deadlines.set(name, at);
    this.commands.push({ type: 'timer.set', name, at });
  }

  unsetTimer(name: TimerName): void {
    if (this.deadlines.delete(name)) this.commands.push({ type: 'timer.unset', name });
  }

  unsetTimers(...names: TimerName[]): void {
    for (const name of names) this.unsetTimer(name);
  }

  /** The timer has fired. False if it is no longer set: it was unset while its event was on the way. */
  takeTimer(name: TimerName): boolean {
    return this.deadlines.delete(name);
  }

  hasTimer(name: TimerName): boolean {
    return this.deadlines.has(name);
  }

  hasTimerBesides(name: TimerName): boolean {
    return this.deadlines.size > (this.deadlines.has(name) ? 1 : 0);
  }

  deadline(name: TimerName): number | undefined {
    return this.deadlines.get(name);
  }

  get timers(): ReadonlyMap<TimerName, number> {
    return this.deadlines;
  }
}
