/** The agent of an example, as vite.config.ts reads it. */
declare module '*.yaml' {
  export const agent: Readonly<Record<string, unknown>>;
}
