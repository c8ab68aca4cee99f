/** A document of an example, as vite.config.ts reads it. */
declare module '*.md' {
  export const text: string;
}
