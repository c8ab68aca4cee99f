/** An example, as vite.config.ts reads it. */
declare module '*.yaml' {
  export const content: Readonly<Record<string, unknown>>;
}
