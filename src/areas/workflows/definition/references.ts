import type { Definition, Step, StepOf } from '../../../contract/workflows/definition.ts';
import { sampleUrl } from '../../../contract/workflows/step-issues.ts';
import { parseTemplates, secretOf } from '../../../contract/workflows/templates.ts';

type Path = readonly (string | number)[];

/** An agent that a definition names. */
export interface AgentReference {
  readonly path: Path;
  readonly id: string;
}

/** A secret that a definition names, and the host that it is sent to. */
export interface SecretReference {
  readonly path: Path;
  readonly name: string;
  readonly host: string;
}

export function agentReferences({ trigger, steps }: Pick<Definition, 'trigger' | 'steps'>): AgentReference[] {
  const called = steps.flatMap((step, index): AgentReference[] => {
    if (step.type !== 'create_call' || step.call.agentId.includes('{{')) return [];
    return [{ path: ['steps', index, 'call', 'agentId'], id: step.call.agentId }];
  });
  return [...trigger.agentIds.map((id, index) => ({ path: ['trigger', 'agentIds', index], id })), ...called];
}

export function secretReferences({ steps }: Pick<Definition, 'steps'>): SecretReference[] {
  return steps.flatMap((step, index) => {
    if (step.type !== 'http_request') return [];
    const { hostname: host } = new URL(sampleUrlOf(step));
    const texts: [Path, string][] = [
      [['url'], step.url],
      ...Object.entries(step.headers).map(([name, value]): [Path, string] => [['headers', name], value]),
    ];
    return texts.flatMap(([path, text]) =>
      secretsIn(text).map((name) => ({ path: ['steps', index, ...path], name, host })),
    );
  });
}

/** The address of each request, with an `x` for each template: none is in scheme, host or port. */
export function addressesOf(steps: readonly Step[]): { readonly path: Path; readonly url: string }[] {
  return steps.flatMap((step, index) =>
    step.type === 'http_request' ? [{ path: ['steps', index, 'url'], url: sampleUrlOf(step) }] : [],
  );
}

function sampleUrlOf({ url }: StepOf<'http_request'>): string {
  const sample = sampleUrl(parseTemplates(url, () => true));
  // The definition was checked before.
  if (typeof sample !== 'string') throw new Error('the URL of the step is not valid');
  return sample;
}

/** Each once. */
function secretsIn(text: string): string[] {
  const parts = parseTemplates(text, () => true);
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : (secretOf(part) ?? []))))];
}
