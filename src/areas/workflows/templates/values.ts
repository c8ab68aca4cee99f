import type { TemplateContext } from './context.ts';

/** The value of a path such as `call.metadata.page`; undefined if there is none, or if it is null. */
export function valueAt(path: string, context: TemplateContext): unknown {
  const root = path.slice(0, path.indexOf('.') + 1);
  const inner = path.slice(root.length);
  switch (root) {
    case 'call.':
      return innerValue(context.call, inner);
    case 'steps.':
      return stepValue(inner, context);
    case 'run.':
      return innerValue(context.run, inner);
    case 'workflow.':
      return innerValue(context.workflow, inner);
    case 'transcript.':
      return context.transcriptText ?? undefined;
    default:
      return path === 'now' ? new Date(context.nowMs).toISOString() : undefined;
  }
}

/** `<id>.status`, `<id>.statusCode` or `<id>.output.<path>`. */
function stepValue(path: string, { steps }: TemplateContext): unknown {
  const [id = '', field = ''] = path.split('.', 2);
  const result = steps.get(id);
  if (result === undefined) return undefined;
  if (field === 'status') return result.status;
  if (field === 'statusCode') return innerValue(result.output, field);
  return innerValue(result, path.slice(id.length + 1));
}

/** Names may contain dots: of those that exist, the longest one is meant. */
function innerValue(container: unknown, path: string): unknown {
  let value = container;
  let rest = path;
  while (rest !== '') {
    const name = longestName(value, rest);
    if (name === undefined) return undefined;
    value = (value as Record<string, unknown>)[name];
    rest = rest.slice(name.length + 1);
  }
  return value ?? undefined;
}

function longestName(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    // A list also has a property `length`.
    if (Object.hasOwn(value, name) && (!Array.isArray(value) || /^\d+$/.test(name))) return name;
  }
  return undefined;
}
