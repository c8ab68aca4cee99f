import type { Leg } from './leg.ts';
import { sendKeys } from './prompts.ts';
import { actionOf, type Child, callbackOf, secondsOf, type VerbEnd, type VerbRun } from './script-context.ts';
import type { Verb } from './twiml.ts';
import { Interrupted, untilAborted } from './waiting.ts';

interface Outcome {
  readonly status: string;
  readonly leg: Leg | null;
  readonly conferenceSid?: string;
}

const maxNumbers = 10;
const defaultTimeoutSeconds = 30;
const defaultLimitSeconds = 14_400;
const defaultParticipants = 250;

/** Connects the call to another phone or to a conference. */
export async function dialVerb(run: VerbRun): Promise<VerbEnd> {
  const [noun] = run.verb.children;
  try {
    const outcome = noun?.name === 'Conference' ? await conference(run, noun) : await numbers(run);
    return actionOf(run, parametersOf(outcome), 'next');
  } catch (error) {
    if (error instanceof Interrupted) await reportInterrupted(run);
    throw error;
  }
}

/** Twilio requests the action of an interrupted `Dial`, too, and does not run the document. */
async function reportInterrupted(run: VerbRun): Promise<void> {
  const { context, leg } = run;
  const action = actionOf(run, parametersOf({ status: 'completed', leg: null }), null);
  if (action === null || 'twiml' in action) return;
  const { url, method, parameters } = action;
  const all = { ...leg.parameters(), ...parameters };
  await context.webhooks.document(leg, { kind: 'dial', url, method, parameters: all }).catch(() => {});
}

function parametersOf({ status, leg, conferenceSid }: Outcome): Record<string, string> {
  const isBridged = leg !== null && leg.answeredAt !== null;
  return {
    DialCallStatus: status,
    DialBridged: String(isBridged),
    ...(leg === null ? {} : { DialCallSid: leg.sid }),
    ...(isBridged ? { DialCallDuration: String(leg.durationSeconds) } : {}),
    ...(conferenceSid === undefined ? {} : { ConferenceSid: conferenceSid }),
  };
}

async function numbers(run: VerbRun): Promise<Outcome> {
  const { leg, verb, signal, context } = run;
  const nouns = verb.children.length > 0 ? verb.children : [verb];
  const children: { readonly noun: Verb; readonly child: Child }[] = [];
  try {
    for (const noun of nouns.slice(0, maxNumbers)) {
      const child = context.dialChild(childRequest(run, noun));
      if ('code' in child) context.notify(child.code, child.message, leg);
      else children.push({ noun, child });
    }
    if (children.length === 0) return { status: 'failed', leg: null };
    const winner = await firstAnswered(children, signal);
    if (winner === null) {
      const last = children.at(-1)?.child.leg ?? null;
      return { status: last?.status ?? 'failed', leg: last };
    }
    for (const { child } of children) if (child !== winner.child) child.leg.end('canceled', 'carrier');
    await talk(run, winner.child.leg, winner.noun.attributes.sendDigits ?? '');
    return { status: 'completed', leg: winner.child.leg };
  } finally {
    for (const { child } of children) child.leg.end(child.leg.isAnswered ? 'completed' : 'canceled', 'other_leg');
  }
}

function childRequest({ leg, verb, documentUrl }: VerbRun, noun: Verb) {
  const { timeout, timeLimit, callerId } = verb.attributes;
  const callback = noun.name === 'Number' ? callbackOf(noun, documentUrl) : null;
  const events = noun.attributes.statusCallbackEvent ?? 'completed';
  return {
    parent: leg,
    to: noun.text,
    callerId: callerId ?? leg.options.from,
    statusCallback: callback === null ? null : { ...callback, events: events.split(/\s+/) },
    timeoutMs: secondsOf(timeout, defaultTimeoutSeconds),
    timeLimitMs: secondsOf(timeLimit, defaultLimitSeconds),
  };
}

function firstAnswered<Dialed extends { readonly child: Child }>(
  dialed: readonly Dialed[],
  signal: AbortSignal,
): Promise<Dialed | null> {
  return untilAborted<Dialed | null>(signal, (resolve, reject) => {
    let waiting = dialed.length;
    for (const each of dialed) {
      each.child.answered.then((isAnswered) => {
        waiting -= 1;
        if (isAnswered) resolve(each);
        else if (waiting === 0) resolve(null);
      }, reject);
    }
    return undefined;
  });
}

/** Until the other phone hangs up. */
async function talk({ leg, signal, context }: VerbRun, other: Leg, digits: string): Promise<void> {
  leg.answer();
  await sendKeys({ context, leg: other, digits, signal });
  leg.source = () => other.frame;
  other.source = () => leg.frame;
  leg.hasMedia();
  other.hasMedia();
  try {
    await untilAborted<void>(signal, (resolve) => {
      const ended = (): void => resolve();
      if (other.isOver) resolve();
      other.over.addEventListener('abort', ended);
      return () => other.over.removeEventListener('abort', ended);
    });
  } finally {
    leg.source = null;
    other.source = null;
  }
}

async function conference(run: VerbRun, noun: Verb): Promise<Outcome> {
  const { leg, signal, context, documentUrl } = run;
  const callback = callbackOf(noun, documentUrl);
  const events = (noun.attributes.statusCallbackEvent ?? '').split(/\s+/);
  const conferenceSid = await context.conferences.join(
    leg,
    {
      account: leg.account.sid,
      name: noun.text,
      startsOnEnter: noun.attributes.startConferenceOnEnter !== 'false',
      endsOnExit: noun.attributes.endConferenceOnExit === 'true',
      maxParticipants: Number(noun.attributes.maxParticipants ?? defaultParticipants),
      report: (event, sid) => {
        const name = event.replace(/^(conference|participant)-/, '');
        if (callback === null || !events.includes(name)) return;
        const parameters = {
          ConferenceSid: sid,
          FriendlyName: noun.text,
          AccountSid: leg.account.sid,
          CallSid: leg.sid,
          StatusCallbackEvent: event,
        };
        context.webhooks.report(leg, { kind: 'conference', ...callback, parameters });
      },
    },
    signal,
  );
  return { status: 'answered', leg: null, conferenceSid };
}
