interface TrustedTypePolicies {
  createPolicy(
    name: 'default',
    rules: { createHTML(text: string): string; createScriptURL(url: string): string },
  ): unknown;
}

/** Elements that only hold others, with no attribute but these: nothing in them can run. */
const container = /<\/?(?:div|style)(?: (?:class|part)="[\w -]*")*>/g;

/** As Vite names them. */
const workerFile = /^\/assets\/[\w-]+\.worker-[\w-]+\.js$/;

/**
 * The content security policy forbids creating HTML from text. Mantine assigns style sheets to `innerHTML`, which contain
 * no tags, and wavesurfer.js the empty containers it draws into; this policy lets only such text pass.
 */
export function allowStyleText(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypePolicies };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text.replaceAll(container, '').includes('<')) throw new TypeError('The dashboard makes no HTML out of text.');
      return text;
    },
    // The layout of a flow is computed in workers, which are files of the dashboard.
    createScriptURL: (url) => {
      const { origin, pathname } = new URL(url, location.href);
      if (origin !== location.origin || !workerFile.test(pathname))
        throw new TypeError('The dashboard has no such worker.');
      return url;
    },
  });
}
