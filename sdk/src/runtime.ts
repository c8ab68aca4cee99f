interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly node?: string };
}

/** Node.js, Deno and Bun have it, browsers do not. */
function runningProcess(): ProcessLike | undefined {
  return (globalThis as { process?: ProcessLike }).process;
}

export function hasNode(): boolean {
  return runningProcess()?.versions?.node !== undefined;
}

/** A variable of the environment; one that is empty counts as not set. */
export function readEnvironment(name: string): string | undefined {
  try {
    return runningProcess()?.env?.[name] || undefined;
  } catch {
    // Deno asks its user, who may have said no.
    return undefined;
  }
}
