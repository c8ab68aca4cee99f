interface TrustedTypePolicies {
  createPolicy(name: 'default', rules: { createHTML(text: string): string }): unknown;
}

/**
 * The policy of the page lets nobody turn text into HTML. Mantine hands the text of its style sheets to `innerHTML`:
 * that holds no tag, and only what holds none passes.
 */
export function allowStyleText(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypePolicies };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('The dashboard makes no HTML out of text.');
      return text;
    },
  });
}
