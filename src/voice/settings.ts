import { reservedSettings, settingsForLater } from '../contract/agents/settings/index.ts';
import { maxAttachedBases } from '../contract/agents/settings/knowledge.ts';
import { maxTools, toolListIssues } from '../contract/agents/settings/tools.ts';
import { isObject } from '../contract/json-object.ts';
import { check, type Issue } from '../core/issues.ts';
import { parametersIssues } from './tools/json-schema.ts';

/**
 * Everything that is wrong with the reserved keys of `agentSettings`, each with its path in it. Other keys belong to the
 * caller, and so does a value that is no object. `flow` is checked by its engine, and addresses by the outbound guard.
 */
export function agentSettingsIssues(settings: unknown): readonly Issue[] {
  if (!isObject(settings)) return [];
  const own = Object.entries(reservedSettings).flatMap(([key, schema]) => {
    if (!Object.hasOwn(settings, key)) return [];
    const result = check(schema, settings[key]);
    const issues = 'issues' in result ? result.issues.flatMap(namedOneByOne) : [];
    return issues.map((issue) => ({ ...issue, path: [key, ...issue.path] }));
  });
  const later = settingsForLater.filter((key) => Object.hasOwn(settings, key));
  return [
    ...own,
    ...toolListIssues(settings.tools).map(({ path, message }) => ({ path: ['tools', ...path], message })),
    ...toolsIn(settings).flatMap(({ index, tool }) => {
      const issues = isObject(tool.parameters) ? parametersIssues(tool.parameters) : [];
      return issues.map(({ path, message }) => ({ path: ['tools', index, 'parameters', ...path], message }));
    }),
    ...later.map((key) => ({ path: [key], message: 'is reserved for a later version of the service' })),
  ];
}

/** The tools that are objects: a malformed one does not hide what is wrong with the others. */
export function toolsIn(settings: unknown): { readonly index: number; readonly tool: Record<string, unknown> }[] {
  const list = isObject(settings) && Array.isArray(settings.tools) ? settings.tools : [];
  // More than the maximum is one issue, and no reason to check thousands.
  return list.slice(0, maxTools).flatMap((tool: unknown, index) => (isObject(tool) ? [{ index, tool }] : []));
}

/** The names of the transfers, without those that cannot be read. */
export function transferNamesIn(settings: unknown): readonly string[] {
  const phone = isObject(settings) ? settings.phone : undefined;
  const list: unknown[] = isObject(phone) && Array.isArray(phone.transfers) ? phone.transfers : [];
  return list.flatMap((entry) => (isObject(entry) && typeof entry.name === 'string' ? [entry.name] : []));
}

/** The ids of the knowledge bases, without those that cannot be read. */
export function knowledgeBaseIdsIn(settings: unknown): { readonly index: number; readonly id: string }[] {
  const knowledge = isObject(settings) ? settings.knowledge : undefined;
  const list: unknown[] = isObject(knowledge) && Array.isArray(knowledge.bases) ? knowledge.bases : [];
  return list
    .slice(0, maxAttachedBases)
    .flatMap((base, index) => (isObject(base) && typeof base.id === 'string' ? [{ index, id: base.id }] : []));
}

/** zod reports all unknown fields of an object in one issue. */
function namedOneByOne(issue: Issue): Issue[] {
  const { code, keys } = issue as { code?: string; keys?: readonly string[] };
  if (code !== 'unrecognized_keys' || keys === undefined) return [issue];
  return keys.map((key) => ({ path: [...issue.path, key], message: 'is not a known setting' }));
}
