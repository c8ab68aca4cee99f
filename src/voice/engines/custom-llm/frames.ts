import { z } from 'zod';
import { NestingError, parseForeignJson } from '../../../contract/foreign-json.ts';

/** The protocol of custom LLM servers is Retell's, as documented. docs/custom-llm.md describes it. */

/** A server that selects it gets each bad frame reported. */
export const strictProtocol = 'voice-agents.llm.v1';
/** For servers that select the first protocol that is offered. It has no effect. */
export const plainProtocol = 'voice-agents.llm';

export const maxFrameBytes = 256 * 1024;
export const maxContentCharacters = 20_000;
export const maxFramesPerSecond = 200;

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();
const id = z.int();
const name = z.string().min(1).max(255);

/** Fields that are not listed are ignored: servers send more, such as `response_id` in every frame. */
const spoken = {
  content: z.string(),
  content_complete: z.boolean(),
  end_call: optional(z.boolean()),
  no_interruption_allowed: optional(z.boolean()),
  transfer_number: optional(z.string()),
  digit_to_press: optional(z.string()),
};

const schemas = {
  config: z.object({
    config: z.object({
      auto_reconnect: optional(z.boolean()),
      call_details: optional(z.boolean()),
      transcript_with_tool_calls: optional(z.boolean()),
    }),
  }),
  ping_pong: z.object({ timestamp: z.number() }),
  response: z.object({ response_id: id, ...spoken }),
  agent_interrupt: z.object({ interrupt_id: id, ...spoken }),
  tool_call_invocation: z.object({
    tool_call_id: name,
    name,
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
  }),
  tool_call_result: z.object({
    tool_call_id: name,
    content: z.string(),
    successful: optional(z.boolean()),
  }),
  update_agent: z.object({
    agent_config: z.object({
      responsiveness: optional(z.number().min(0).max(1)),
      interruption_sensitivity: optional(z.number().min(0).max(1)),
      reminder_trigger_ms: optional(z.number().min(1000).max(600_000)),
      reminder_max_count: optional(z.int().min(0).max(100)),
    }),
  }),
  metadata: z.object({ metadata: z.unknown() }),
} as const;

type FrameType = keyof typeof schemas;

/** What a server sends. */
export type ServerLlmFrame = {
  [Type in FrameType]: { readonly response_type: Type } & Readonly<z.infer<(typeof schemas)[Type]>>;
}[FrameType];
export type LlmFrame<Type extends FrameType> = Extract<ServerLlmFrame, { response_type: Type }>;
export type SpokenFrame = LlmFrame<'response'> | LlmFrame<'agent_interrupt'>;
export type LlmConfig = LlmFrame<'config'>['config'];

export const frameErrorCodes = [
  'TOO_LARGE',
  'UNKNOWN_TYPE',
  'BAD_FIELD',
  'STALE_RESPONSE_ID',
  'RESPONSE_NOT_CLOSED',
] as const;

export interface FrameError {
  readonly code: (typeof frameErrorCodes)[number];
  /** In words, without anything that the server has sent. */
  readonly message: string;
  /** The field, if it is one. */
  readonly path: string;
}

export type ReadFrame = { readonly frame: ServerLlmFrame } | { readonly error: FrameError };

/** Reads a frame of a server. `text` is null for a binary one. The order of the checks is part of the protocol. */
export function readFrame(text: string | null, bytes: number, isStrict: boolean): ReadFrame {
  if (bytes > maxFrameBytes) return bad('TOO_LARGE', `a frame has more than ${maxFrameBytes / 1024} KiB`);
  if (text === null) return bad('UNKNOWN_TYPE', 'a frame is binary; only text is expected');
  const value = parsed(text);
  if (value instanceof NestingError) return bad('TOO_LARGE', `a frame is ${value.message}`);
  if (value === undefined) return bad('UNKNOWN_TYPE', 'a frame is not a JSON object');
  if (typeof value.content === 'string' && isTooLong(value.content)) {
    return bad('TOO_LARGE', `content has more than ${maxContentCharacters} characters`, 'content');
  }
  const type = typeOf(value, isStrict);
  if (type === undefined) return bad('UNKNOWN_TYPE', 'the response_type is not a known one', 'response_type');
  const result = schemas[type].safeParse(value);
  if (result.success) return { frame: { response_type: type, ...result.data } as ServerLlmFrame };
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).join('.');
  return bad('BAD_FIELD', `${path} of ${type} is missing or has a wrong value`, path);
}

function bad(code: FrameError['code'], message: string, path = ''): ReadFrame {
  return { error: { code, message, path } };
}

function parsed(text: string): Readonly<Record<string, unknown>> | NestingError | undefined {
  try {
    const value = parseForeignJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    return error instanceof NestingError ? error : undefined;
  }
}

/** The oldest servers have no `response_type`: all they send are responses. */
function typeOf({ response_type: given, response_id: number }: Readonly<Record<string, unknown>>, isStrict: boolean) {
  if (given === undefined && number !== undefined && !isStrict) return 'response';
  return typeof given === 'string' && Object.hasOwn(schemas, given) ? (given as FrameType) : undefined;
}

/** Counted in code points, like every text. */
function isTooLong(content: string): boolean {
  return content.length > maxContentCharacters && [...content].length > maxContentCharacters;
}

// What we send

export interface Utterance {
  readonly role: 'agent' | 'user';
  readonly content: string;
}

export type TranscriptEntry =
  | Utterance
  | {
      readonly role: 'tool_call_invocation';
      readonly tool_call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly role: 'tool_call_result'; readonly tool_call_id: string; readonly content: string };

interface Transcripts {
  readonly transcript: readonly Utterance[];
  readonly transcript_with_tool_calls?: readonly TranscriptEntry[];
}

/** The call, for servers that ask for it. */
export interface CallDetails {
  readonly call_id: string;
  readonly agent_id: string;
  readonly agent_version: number;
  readonly call_type: 'web_call' | 'phone_call' | 'chat';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly retell_llm_dynamic_variables: Readonly<Record<string, string>>;
  readonly agent_global_prompt: string | null;
  /** Phone calls only, in E.164 format. `from_number` is null if it is withheld. */
  readonly from_number?: string | null;
  readonly to_number?: string;
  readonly direction?: 'inbound' | 'outbound';
}

export type ClientLlmFrame =
  | { readonly interaction_type: 'ping_pong'; readonly timestamp: number }
  | { readonly interaction_type: 'call_details'; readonly call: CallDetails }
  | ({
      readonly interaction_type: 'update_only';
      readonly turntaking?: 'agent_turn' | 'user_turn';
    } & Transcripts)
  | ({
      readonly interaction_type: 'response_required' | 'reminder_required';
      readonly response_id: number;
    } & Transcripts)
  | ({ readonly interaction_type: 'error' } & FrameError);
