import { z } from 'zod';
import { NestingError, parseForeignJson } from '../foreign-json.ts';
import { text } from '../text.ts';
import { callEvent } from './call-events.ts';
import { callEndReasons } from './end-reasons.ts';

/** The wire protocol of the WebSocket of a call, `/live/v1/calls/{id}`. Audio is in binary frames, all else is JSON. */

export const livePath = '/live/v1/calls/{id}';
export const liveProtocol = 'voice-agents.v1';
/** Precedes an access token in the list of subprotocols. */
export const tokenProtocol = 'token.';
/** Precedes the `resumeKey` of an earlier connection. */
export const resumeProtocol = 'resume.';
export const maxFrameBytes = 64 * 1024;

/** How the service closes an open socket, besides the codes of RFC 6455. */
export const closeCodes = {
  ended: { code: 1000, meaning: 'The call is over; `ended` precedes it.' },
  tooLarge: { code: 1009, meaning: 'A frame had more than 64 KiB.' },
  failed: { code: 1011, meaning: 'An internal failure. The connection can be resumed.' },
  badFrame: { code: 4400, meaning: 'A frame is not valid; `error` precedes it.' },
  keyInvalid: {
    code: 4401,
    meaning: 'The API key that created the token was revoked or has expired. The connection cannot be resumed.',
  },
  idle: { code: 4408, meaning: 'No `start` within 10 seconds.' },
  joinedElsewhere: { code: 4409, meaning: 'A newer connection has taken over the call.' },
  tooMuch: { code: 4429, meaning: 'More frames or audio than allowed; `error` precedes it.' },
  goingAway: { code: 4503, meaning: 'The process stops. Resume at once: another one continues the call.' },
} as const;

const rate = z
  .union([z.literal(16_000), z.literal(24_000), z.literal(48_000)])
  .meta({ description: 'Samples per second: 16000, 24000 or 48000.', examples: [16_000] });

const audioFormat = (whose: string) =>
  z.strictObject({ rate }).meta({ description: `The audio ${whose}: PCM16LE, mono.`, examples: [{ rate: 16_000 }] });

const utterance = z
  .int()
  .min(1)
  .meta({
    description: 'The number of the agent’s utterance. Numbers increase within a call and never repeat, with gaps.',
    examples: [1],
  });

const toolCallId = z
  .string()
  .max(64)
  .meta({ description: 'The id of the tool call.', examples: ['tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });

const typeOf = <T extends string>(type: T) =>
  z.literal(type).meta({ description: 'The kind of frame.', examples: [type] });

/** What a client sends. */
export const clientFrames = {
  start: z
    .strictObject({
      type: typeOf('start'),
      input: audioFormat('that the caller sends').optional(),
      output: audioFormat('to send to the caller').optional(),
    })
    .meta({
      id: 'LiveStart',
      description: 'The first frame, within 10 seconds. A web call needs `input` and `output`; a chat has neither.',
    }),
  played: z
    .strictObject({
      type: typeOf('played'),
      utterance,
      samples: z
        .int()
        .min(0)
        .meta({ description: 'How many samples of the utterance have been played so far.', examples: [3200] }),
    })
    .meta({
      id: 'LivePlayed',
      description:
        'Reports what the caller has heard. Send it every 100 ms while an utterance is played, when all audio that has arrived is played, and once after `clear`. Unknown and late reports are ignored.',
    }),
  text: z
    .strictObject({
      type: typeOf('text'),
      text: text({ min: 1, max: 10_000 })
        .optional()
        .meta({
          description: 'The text of the message. Omit it in the first message of a chat to get the agent’s opening.',
          examples: ['明日の15時に予約できますか。'],
        }),
    })
    .meta({ id: 'LiveText', description: 'A typed message.' }),
  recognized: z
    .strictObject({
      type: typeOf('recognized'),
      text: text({ max: 10_000 }).meta({ description: 'Words since the last final one.', examples: ['明日の15時に'] }),
      isFinal: z.boolean().meta({ description: 'Whether the words are final.', examples: [false] }),
    })
    .meta({
      id: 'LiveRecognized',
      description: 'Speech recognized by the browser. Only if `sttProvider` of the agent is `browser`.',
    }),
  tool_result: z
    .strictObject({
      type: typeOf('tool_result'),
      toolCallId,
      result: z
        .unknown()
        .optional()
        .meta({ description: 'What the tool returned, any JSON. Absent if it failed.', examples: [{ seat: 12 }] }),
      error: text({ min: 1, max: 1000 })
        .optional()
        .meta({ description: 'Why the tool failed. Absent if it did not.', examples: ['no seat is free'] }),
    })
    .meta({ id: 'LiveToolResult', description: 'The result of a tool that runs in the page: `result` or `error`.' }),
  dtmf: z
    .strictObject({
      type: typeOf('dtmf'),
      digits: z
        .string()
        .regex(/^[0-9*#A-D]{1,50}$/, 'must be 1 to 50 of 0-9 * # A-D')
        .meta({ description: 'The keys that were pressed.', examples: ['1'] }),
    })
    .meta({
      id: 'LiveDtmf',
      description:
        'Keys that the caller has pressed. They stop the agent. Up to `#`, or until 2.5 s pass without another, they are one turn of the caller.',
    }),
  end: z.strictObject({ type: typeOf('end') }).meta({ id: 'LiveEnd', description: 'The caller hangs up.' }),
} as const;

const flag = (description: string, example: boolean) => z.boolean().meta({ description, examples: [example] });

/** What the service sends. */
export const serverFrames = {
  ready: z
    .strictObject({
      type: typeOf('ready'),
      callId: z
        .string()
        .max(64)
        .meta({ description: 'The call.', examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'] }),
      agentName: z
        .string()
        .max(255)
        .meta({ description: 'The name of the agent.', examples: ['予約受付'] }),
      language: z
        .string()
        .max(64)
        .meta({ description: 'The language of the agent.', examples: ['ja'] }),
      capabilities: z
        .strictObject({
          speechIn: flag('Whether the service understands speech. Typing always works.', true),
          speechOut: flag('Whether the agent has a voice.', true),
          recording: flag('Whether the call is being recorded.', false),
        })
        .meta({ description: 'What this call can do.' }),
      resumeKey: z
        .string()
        .max(2048)
        .meta({
          description:
            'Offer `resume.<resumeKey>` as a subprotocol to continue after a lost connection. It is valid until the client uses the next connection, which has its own key.',
          examples: ['WyJjYWxsXzAxbTdmOG5wMXAwMDAwZjVrem53ajQ3dGFuOXp0MiJd'],
        }),
    })
    .meta({
      id: 'LiveReady',
      description:
        'The response to `start`, before anything is said. In the first call of a process, it waits until speech is loaded, up to 8 seconds.',
    }),
  speech: z
    .strictObject({ type: typeOf('speech'), utterance })
    .meta({ id: 'LiveSpeech', description: 'The binary frames that follow are the audio of this utterance.' }),
  pause: z.strictObject({ type: typeOf('pause'), utterance }).meta({
    id: 'LivePause',
    description: 'Pause playback: the caller may be interrupting. `resume` or `clear` follows.',
  }),
  resume: z
    .strictObject({ type: typeOf('resume'), utterance })
    .meta({ id: 'LiveResume', description: 'Resume playback.' }),
  clear: z.strictObject({ type: typeOf('clear'), utterance }).meta({
    id: 'LiveClear',
    description:
      'Discard audio that has not been played, and report what has been with `played` at once: the next reply waits for it, up to 250 ms.',
  }),
  transcript: z
    .strictObject({
      type: typeOf('transcript'),
      role: z.enum(['agent', 'caller']).meta({ description: 'Who said it.', examples: ['caller'] }),
      text: z.string().meta({ description: 'The full text of the turn so far.', examples: ['明日の15時に'] }),
      isFinal: flag('Whether the turn is over. A later frame with the same `turn` still replaces it.', false),
      turn: z
        .int()
        .min(0)
        .meta({ description: 'The index of the turn in the transcript.', examples: [1] }),
    })
    .meta({ id: 'LiveTranscript', description: 'What is being said. Replaces the last frame with the same `turn`.' }),
  state: z
    .strictObject({
      type: typeOf('state'),
      floor: z.enum(['caller', 'agent', 'none']).meta({ description: 'Who is speaking.', examples: ['caller'] }),
    })
    .meta({ id: 'LiveState', description: 'The speaker has changed.' }),
  event: z
    .strictObject({ type: typeOf('event'), event: callEvent })
    .meta({ id: 'LiveEvent', description: 'A call event that an access token may see.' }),
  tool_call: z
    .strictObject({
      type: typeOf('tool_call'),
      toolCallId,
      name: z
        .string()
        .max(64)
        .meta({ description: 'The name of the tool.', examples: ['show_map'] }),
      arguments: z
        .record(z.string(), z.unknown())
        .meta({ description: 'The arguments for the tool.', examples: [{ place: '銀座店' }] }),
    })
    .meta({ id: 'LiveToolCall', description: 'The page runs this tool (`where: "client"`) and sends `tool_result`.' }),
  metadata: z
    .strictObject({
      type: typeOf('metadata'),
      metadata: z.unknown().meta({ description: 'The metadata, as sent by the custom LLM.', examples: [{ page: 2 }] }),
    })
    .meta({ id: 'LiveMetadata', description: 'Metadata from a custom LLM, for the page.' }),
  error: z
    .strictObject({
      type: typeOf('error'),
      code: z.enum(['bad_frame', 'too_much', 'rate_limited', 'reply_in_progress', 'reply_failed']).meta({
        description:
          'The error code. The socket is closed after the first two. After the others it stays open, and the message was not processed.',
        examples: ['bad_frame'],
      }),
      message: z
        .string()
        .max(1000)
        .meta({ description: 'A human-readable message.', examples: ['type is not known'] }),
    })
    .meta({ id: 'LiveError', description: 'The client sent something invalid or too much, or the reply failed.' }),
  ended: z
    .strictObject({
      type: typeOf('ended'),
      reason: z.enum(callEndReasons).meta({ description: 'Why the call ended.', examples: ['agent_hangup'] }),
    })
    .meta({ id: 'LiveEnded', description: 'The call is over. The socket is closed after it.' }),
} as const;

export type ClientFrames = { readonly [T in keyof typeof clientFrames]: z.infer<(typeof clientFrames)[T]> };
export type ClientFrame = ClientFrames[keyof ClientFrames];
export type ServerFrame = {
  [T in keyof typeof serverFrames]: z.infer<(typeof serverFrames)[T]>;
}[keyof typeof serverFrames];

/** The frame, or what is wrong with it. */
export function readClientFrame(json: string): { readonly frame: ClientFrame } | { readonly issue: string } {
  let value: unknown;
  try {
    value = parseForeignJson(json);
  } catch (error) {
    return {
      issue: error instanceof NestingError ? `a frame must not be ${error.message}` : 'a text frame must be JSON',
    };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return { issue: 'a frame must be an object with a type' };
  if (!Object.hasOwn(clientFrames, type)) return { issue: 'the type of the frame is not known' };
  const { success, data, error } = clientFrames[type as keyof typeof clientFrames].safeParse(value);
  if (!success) {
    const [first] = error.issues;
    const place = first === undefined || first.path.length === 0 ? type : first.path.join('.');
    return { issue: `${place}: ${first?.message ?? 'is not valid'}`.slice(0, 500) };
  }
  if (data.type === 'tool_result' && 'result' in data === 'error' in data) {
    return { issue: 'tool_result: needs either result or error' };
  }
  return { frame: data };
}
