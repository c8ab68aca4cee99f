import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LoggedCall } from '../../src/voice/carriers/local/call-log.ts';
import type { InboundCall } from '../../src/voice/carriers/local/call-request.ts';
import type { Violation } from '../../src/voice/carriers/local/carrier.ts';
import type { Fault } from '../../src/voice/carriers/local/faults.ts';
import type { Phone } from '../../src/voice/carriers/local/phones.ts';
import { endWithTests } from '../../test/support/children.ts';

export const accountSid = `AC${'7'.repeat(32)}`;
export const authToken = 'an-auth-token-for-campaigns-only';

const program = join(import.meta.dirname, '..', '..', 'src', 'voice', 'carriers', 'local', 'main.ts');
const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

/** The local carrier in a process of its own, with a phone behind every number of the world. */
export interface CarrierProcess {
  readonly address: string;
  readonly pid: number;
  /** Every call that was ever placed, in its last state. */
  calls(): LoggedCall[];
  /** A phone calls one of the numbers. Resolves to the carrier's id of the call. */
  callNumber(call: InboundCall): Promise<string>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** What no client of the carrier may do. */
  violations(): Promise<readonly Violation[]>;
  /** What the carrier could not do with a call, in words. */
  troubles(callSids: ReadonlySet<string>): Promise<readonly string[]>;
  end(): Promise<void>;
}

export interface CarrierProcessOptions {
  readonly folder: string;
  readonly numbers: readonly string[];
  /** More phones, or others, by the last two digits of their numbers. */
  readonly phones?: Readonly<Record<string, Phone>>;
}

export async function startCarrierProcess({
  folder,
  numbers,
  phones = {},
}: CarrierProcessOptions): Promise<CarrierProcess> {
  const log = join(folder, 'carrier-calls.jsonl');
  const phonesFile = join(folder, 'phones.json');
  writeFileSync(phonesFile, JSON.stringify(phones));
  writeFileSync(log, '');
  const child = spawn(
    process.execPath,
    [
      program,
      ...['--log', log, '--phones', phonesFile, '--anywhere', '--max-calls', '10000'],
      ...['--account', `${accountSid}:${authToken}`],
      ...numbers.flatMap((number) => ['--number', number]),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  endWithTests(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { address } = JSON.parse(line) as { address: string };
  // biome-ignore lint/suspicious/noExplicitAny: what the carrier of this repository answers.
  const control = async (method: string, path: string, body?: unknown): Promise<any> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${address}/local/${path}`, { method, headers: { authorization }, ...content });
    const read = await response.json();
    if (!response.ok) throw new Error(`the carrier answered ${response.status}: ${JSON.stringify(read)}`);
    return read;
  };
  return {
    address,
    pid: child.pid as number,
    calls: () => {
      const byId = new Map<string, LoggedCall>();
      // The last line may be half-written.
      for (const text of readFileSync(log, 'utf8').split('\n').slice(0, -1)) {
        const call = JSON.parse(text) as LoggedCall;
        byId.set(call.sid, call);
      }
      return [...byId.values()];
    },
    callNumber: async (call) => (await control('POST', 'calls', call)).callSid,
    addFault: async (fault) => void (await control('POST', 'faults', fault)),
    clearFaults: async () => void (await control('DELETE', 'faults')),
    violations: async () => (await control('GET', 'violations')).violations,
    troubles: async (callSids) => {
      const { notifications } = (await control('GET', 'violations')) as { notifications: readonly Violation[] };
      return notifications.filter(({ callSid }) => callSids.has(callSid ?? '')).map(({ message }) => message);
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
