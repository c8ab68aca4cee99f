import type { AgentFile } from './agent-file.ts';
import type { KnownAgent, WorkspaceState } from './state.ts';
import type { SeenAgent } from './workspace.ts';

/**
 * Detects renamed files by their content, or by the agent name if it is unique, and moves their state along. Otherwise a
 * rename would look like one agent to delete and another to create.
 */
export function followRenamedFiles(
  state: WorkspaceState,
  files: ReadonlyMap<string, AgentFile>,
  seen: ReadonlyMap<string, SeenAgent>,
): void {
  const unknown = (): AgentFile[] => [...files.values()].filter(({ file }) => !state.agents.has(file));
  const missing = (): [string, KnownAgent][] => [...state.agents].filter(([file]) => !files.has(file));
  const move = (from: string, entry: KnownAgent, to: string): void => {
    state.agents.delete(from);
    state.agents.set(to, entry);
  };
  for (const [file, entry] of missing()) {
    const same = unknown().find(({ digest }) => digest === entry.file);
    if (same !== undefined) move(file, entry, same.file);
  }
  const byName = uniqueBy(unknown(), ({ content }) => content?.name);
  const missingByName = uniqueBy(missing(), ([, { id }]) => seen.get(id)?.agent.name);
  for (const [name, [file, entry]] of missingByName) {
    const found = byName.get(name);
    if (found !== undefined) move(file, entry, found.file);
  }
}

/** The items whose name is unique. */
export function uniqueBy<T>(items: Iterable<T>, nameOf: (item: T) => string | undefined): Map<string, T> {
  const found = new Map<string, T>();
  const several = new Set<string>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    if (found.has(name)) several.add(name);
    found.set(name, item);
  }
  for (const name of several) found.delete(name);
  return found;
}
