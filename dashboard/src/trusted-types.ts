interface TrustedTypePolicies {
  createPolicy(name: 'default', rules: { createHTML(text: string): string }): unknown;
}

/**
 * The content security policy forbids creating HTML from text. Mantine assigns style sheets to `innerHTML`, which contain
 * no tags; this policy lets only text without tags pass.
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
