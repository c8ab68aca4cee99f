import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a call is created outside of the transaction that completes its step',
    engine: 'postgres',
    in: 'Execution.#createCall',
    replace: 'await calls.create(this.#queries, workspaceId, body, { runId, isAllowed })',
    with: `await (this.#parts as any).database.transaction((queries) =>
        calls.create(queries, workspaceId, body, { runId, isAllowed }));
      await new Promise((resolve) => setTimeout(resolve, 400))`,
  },
  {
    about: 'the key is not the same in each attempt',
    engine: 'sqlite',
    in: 'sendRequest.options',
    replace: '...sent.headers,',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of source.
    with: "...sent.headers, 'Idempotency-Key': `${sent.headers['Idempotency-Key']}.${startedAt}`,",
  },
  {
    about: 'a request is rendered again for each attempt',
    engine: 'sqlite',
    in: 'Execution.#perform',
    replace: "known?.request != null && step.type === 'http_request'",
    with: "known?.request === '' && step.type === 'http_request'",
  },
  {
    about: 'a run that is canceled while it sends a request goes on',
    engine: 'sqlite',
    in: 'createAdvancing',
    replace: 'row.completed_at !== null',
    with: 'row.completed_at === -1',
  },
];
