import { z } from 'zod';
import { externalId, metadata, variables } from '../../../contract/calls/values.ts';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import { text } from '../../../contract/text.ts';
import { newTraceparent, signatureHeaders } from '../../../core/webhook-signature.ts';
import { findUnstorable } from '../../../http/operations/body.ts';
import type { Guard } from '../../../net/guard.ts';
import { OutboundError } from '../../../net/outbound-error.ts';

/** What the partner's server is told about a call before it is answered. */
export interface InboundQuestion {
  readonly callId: string;
  readonly phoneNumberId: string;
  readonly from: string | null;
  readonly to: string;
  readonly sipHeaders: Readonly<Record<string, string>>;
}

const versionMessage = 'must be a version number, published or latest';
/** Each field as in calls.create. Fields that it does not name are left to the number. */
const responseBody = z.object({
  agentId: text({ min: 1, max: 64 }).optional(),
  agentVersion: z
    .union([z.int(versionMessage).min(1).max(999_999_999), z.enum(['published', 'latest'], versionMessage)])
    .optional(),
  variables: variables.optional(),
  metadata: metadata.optional(),
  externalId: externalId.nullable().optional(),
  reject: z.boolean().optional(),
});

export type InboundAnswer = z.output<typeof responseBody>;

export interface InboundRequestParts {
  readonly guard: Guard;
  readonly secrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
  readonly now: () => number;
  readonly userAgent: string;
  /** For everything, from the lookup of the name to the last byte of the response. */
  readonly timeoutMs: number;
}

const maxResponseBytes = 64 * 1024;

export type AskBeforeAnswering = ReturnType<typeof createInboundRequest>;

/**
 * The request before answering: the partner's server can choose the agent, set variables, or reject the call. Resolves to
 * a string if it did not answer as it should: what is wrong, without anything that it sent.
 */
export function createInboundRequest({ guard, secrets, now, userAgent, timeoutMs }: InboundRequestParts) {
  return async (
    url: string,
    { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
    question: InboundQuestion,
  ): Promise<InboundAnswer | string> => {
    const body = JSON.stringify(question);
    const signature = signatureHeaders(
      question.callId,
      Math.floor(now() / 1000),
      body,
      await secrets(workspaceId, agentId),
    );
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': userAgent,
      traceparent: newTraceparent(),
      ...signature,
    };
    try {
      const response = await guard.request(url, { method: 'POST', headers, body, maxResponseBytes, timeoutMs });
      if (response.status < 200 || response.status > 299) return `it answered with HTTP ${response.status}`;
      return answerIn(response.body);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return `there was no response (${error.code})`;
    }
  };
}

function answerIn(body: Buffer): InboundAnswer | string {
  let given: unknown;
  try {
    given = parseForeignJson(body.toString());
    if (findUnstorable(given).length > 0) return 'its response has characters that cannot be stored';
  } catch {
    return 'its response is not JSON';
  }
  const parsed = responseBody.safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = Object.keys(responseBody.shape).filter((name) =>
    parsed.error.issues.some(({ path }) => path[0] === name),
  );
  return `its response is not valid (${fields.join(', ') || 'not an object'})`;
}
