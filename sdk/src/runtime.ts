interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly node?: string };
}

/** Available in Node.js, Deno and Bun, but not in browsers. */
function runningProcess(): ProcessLike | undefined {
  return (globalThis as { process?: ProcessLike }).process;
}

export function hasNode(): boolean {
  return runningProcess()?.versions?.node !== undefined;
}

/** An environment variable; an empty one is treated as unset. */
export function readEnvironment(name: string): string | undefined {
  try {
    return runningProcess()?.env?.[name] || undefined;
  } catch {
    // Deno may deny access to the environment.
    return undefined;
  }
}
