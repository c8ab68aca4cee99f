import { dialVerb } from './dial-verb.ts';
import { gather } from './gather.ts';
import type { Leg } from './leg.ts';
import { MediaStream } from './media-stream.ts';
import { pauseVerb, play, say, sayText } from './prompts.ts';
import {
  actionOf,
  callbackOf,
  type Instruction,
  methodOf,
  resolveUrl,
  type ScriptContext,
  type VerbEnd,
  type VerbRun,
} from './script-context.ts';
import { DocumentError, type DocumentVerb, parseDocument, type Verb } from './twiml.ts';
import { Interrupted, untilAborted } from './waiting.ts';

/** A call that is redirected more often ends. */
const maxDocuments = 1000;
const apology = "We're sorry, an application error has occurred. Goodbye.";
/** These run while the call still rings. */
const beforeAnswering = ['Reject', 'Redirect', 'Pause'];

/** Runs the documents of one call. */
export class CallScript {
  readonly #context: ScriptContext;
  readonly #leg: Leg;
  #controller: AbortController | null = null;
  #done: Promise<void> = Promise.resolve();
  #documents = 0;

  constructor(context: ScriptContext, leg: Leg) {
    this.#context = context;
    this.#leg = leg;
  }

  /** Starts with an instruction; what is running is interrupted. */
  run(instruction: Instruction): void {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const signal = AbortSignal.any([controller.signal, this.#leg.over]);
    this.#done = this.#done.then(() => this.#run(instruction, signal));
  }

  async #run(first: Instruction, signal: AbortSignal): Promise<void> {
    let next: Instruction | null = first;
    try {
      while (next !== null && !signal.aborted) next = await this.#document(next, signal);
      if (signal.aborted) return;
      this.#leg.answer();
      this.#leg.end('completed', 'document');
    } catch (error) {
      if (error instanceof Interrupted) return;
      this.#context.notify(12_400, error instanceof Error ? error.message : String(error), this.#leg);
      this.#leg.end('completed', 'carrier');
    }
  }

  /** Runs a document; returns the one that follows. */
  async #document(instruction: Instruction, signal: AbortSignal): Promise<Instruction | null> {
    try {
      this.#documents += 1;
      if (this.#documents > maxDocuments) throw new DocumentError(12_400, 'The call was redirected too often.');
      const text = await untilAborted<string>(signal, (resolve, reject) => {
        this.#fetched(instruction).then(resolve, reject);
        return undefined;
      });
      const verbs = parseDocument(text);
      return await this.#verbs(verbs, 'url' in instruction ? instruction.url : null, signal);
    } catch (error) {
      if (error instanceof DocumentError) return this.#failed(error, instruction, signal);
      throw error;
    }
  }

  async #fetched(instruction: Instruction): Promise<string> {
    if ('twiml' in instruction) return instruction.twiml;
    const { url, method, parameters } = instruction;
    const all = { ...this.#leg.parameters(), ...parameters };
    const response = await this.#context.webhooks.document(this.#leg, {
      kind: 'document',
      url,
      method,
      parameters: all,
    });
    if (!/^(?:text|application)\/(?:xml|html)\b/i.test(response.contentType)) {
      throw new DocumentError(12_300, `The document has the type ${response.contentType || '(none)'}.`);
    }
    return response.body;
  }

  async #failed(error: DocumentError, instruction: Instruction, signal: AbortSignal): Promise<Instruction | null> {
    const { fallback } = this.#leg.options;
    this.#context.notify(error.code, error.message, this.#leg);
    if (error.code >= 12_000) this.#context.violation(error.message, this.#leg);
    if (signal.aborted) throw new Interrupted();
    const url = 'url' in instruction ? instruction.url : '';
    if (fallback !== null && url !== fallback.url) {
      return { ...fallback, parameters: { ErrorCode: String(error.code), ErrorUrl: url } };
    }
    this.#leg.answer();
    await sayText({ context: this.#context, leg: this.#leg, text: apology, language: 'en-US', signal });
    return null;
  }

  async #verbs(
    verbs: readonly DocumentVerb[],
    documentUrl: string | null,
    signal: AbortSignal,
  ): Promise<Instruction | null> {
    for (const verb of verbs) {
      this.#answerFor(verb);
      if (signal.aborted) throw new Interrupted();
      const end = await runVerb({ context: this.#context, leg: this.#leg, verb, signal, documentUrl });
      if (end === 'end') throw new Interrupted();
      if (end !== 'next') return end;
    }
    return null;
  }

  #answerFor(verb: Verb): void {
    const isBridge = verb.name === 'Dial' && verb.attributes.answerOnBridge === 'true';
    if (!beforeAnswering.includes(verb.name) && !isBridge) this.#leg.answer();
  }
}

async function runVerb(run: VerbRun & { readonly verb: DocumentVerb }): Promise<VerbEnd> {
  const { verb, leg, documentUrl } = run;
  switch (verb.name) {
    case 'Connect':
      return connect(run);
    case 'Redirect':
      return { url: resolveUrl(verb.text, documentUrl), method: methodOf(verb.attributes.method) };
    case 'Reject':
      leg.end(leg.isAnswered ? 'completed' : verb.attributes.reason === 'busy' ? 'busy' : 'no-answer', 'document');
      return 'end';
    case 'Hangup':
      leg.end('completed', 'document');
      return 'end';
    case 'Gather':
      return gather(run);
    case 'Dial':
      return dialVerb(run);
    case 'Say':
      await say(run);
      return 'next';
    case 'Play':
      await play(run);
      return 'next';
    case 'Pause':
      await pauseVerb(run);
      return 'next';
    default:
      return verb.name satisfies never;
  }
}

async function connect(run: VerbRun): Promise<VerbEnd> {
  const { verb, leg, signal, context, documentUrl } = run;
  const [stream] = verb.children;
  if (stream === undefined) throw new DocumentError(12_200, '<Connect> is empty.');
  const { url = '', name = null, track } = stream.attributes;
  if (!/^wss?:\/\//.test(url) || !URL.canParse(url))
    throw new DocumentError(31_922, 'The address of the stream is not ws.');
  if (track !== undefined && track !== 'inbound_track') throw new DocumentError(31_941, 'The track cannot be chosen.');
  const address = url.replace(/[?#].*$/, '');
  if (address !== url) context.violation('The query string of a stream is dropped.', leg);
  const customParameters = Object.fromEntries(
    stream.children.map(({ attributes }) => [attributes.name ?? '', attributes.value ?? '']),
  );
  const statusCallback = callbackOf(stream, documentUrl);
  // What a test carrier's client knows of the agent, and the phone does not.
  if (customParameters.testSpeech === 'true') leg.hasTestSpeech = true;
  leg.language = customParameters.language ?? leg.language;
  const media = new MediaStream(context, leg, { url: address, name, customParameters, statusCallback });
  const end = await media.run(signal);
  // The call waits until it is redirected or ends.
  if (end === 'stays') await untilAborted<void>(signal, () => undefined);
  return actionOf(run, { StreamSid: media.sid }, 'next');
}
