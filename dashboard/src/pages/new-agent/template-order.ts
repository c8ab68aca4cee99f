import type { Provider } from '../../../../sdk/src/index.ts';
import { speechSupport } from '../../try/spoken/speech-support.ts';

/** Without the templates themselves, which the first page need not load. */
export const templateLanguages = {
  'opening-hours': 'en-US',
  'faq-desk': 'en-US',
  survey: 'en-US',
  salon: 'ja-JP',
  blank: null,
} as const;
export type TemplateName = keyof typeof templateLanguages;
export const templateNames = Object.keys(templateLanguages) as readonly TemplateName[];

/** Those that this service can talk to come first; blank is always the last. */
export function templateOrder(providers: readonly Provider[]): readonly TemplateName[] {
  const rank = (name: TemplateName) => {
    const language = templateLanguages[name];
    if (language === null) return 2;
    const { speechIn, speechOut } = speechSupport(
      providers,
      { language, sttProvider: 'auto', ttsProvider: 'auto' },
      false,
    );
    return speechIn && speechOut ? 0 : 1;
  };
  return templateNames.toSorted((one, other) => rank(one) - rank(other));
}
