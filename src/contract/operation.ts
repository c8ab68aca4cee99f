import type { z } from 'zod';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How much harm a call can do: `sensitive` changes what callers hear, `destructive` cannot be taken back. */
export type RiskClass = 'standard' | 'sensitive' | 'destructive';

/**
 * One operation of the public interface. Registration, authentication, the scope check, validation, OpenAPI, the
 * reference page and the tests that run over every operation all read this and nothing else.
 */
export interface Operation {
  /** The route id of the contract, such as `agents.create`. */
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces: `/api/v1/agents/{id}`. */
  readonly path: `/api/v1/${string}`;
  /** Null where any valid key will do. */
  readonly scope: Scope | null;
  readonly risk: RiskClass;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null where the operation takes no body. */
  readonly body: z.ZodObject | null;
  /** Where the body may be left out; it then counts as `{}`. */
  readonly isBodyOptional?: true;
  /** Accepted beside `application/json`. */
  readonly bodyMediaType?: string;
  /** A request that a newcomer would send first. */
  readonly bodyExample?: Readonly<Record<string, unknown>>;
  /** Which of the conditional headers it heeds: `If-Match` on changes, `If-None-Match` on reads. */
  readonly condition?: 'If-Match' | 'If-None-Match';
  readonly success: {
    readonly status: 200 | 201;
    readonly description: string;
    readonly body: z.ZodObject;
    readonly headers?: Readonly<Record<string, string>>;
    /** The body holds a secret: it is not kept in the clear for repeats of the request. */
    readonly isSecret?: true;
  };
}

/** What a POST answers can be had again under its `Idempotency-Key`. */
export function isRepeatable(operation: Operation): boolean {
  return operation.method === 'POST';
}

export type Params<O extends Operation> = z.output<O['params']>;
export type Query<O extends Operation> = z.output<O['query']>;
export type Body<O extends Operation> = O['body'] extends z.ZodObject ? z.output<O['body']> : undefined;

export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}
