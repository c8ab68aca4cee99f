/** Without the templates themselves, which the first page need not load. Each is an example, in these languages. */
export const templateExamples = {
  reception: { en: 'reception', ja: 'salon' },
  'order-status': { en: 'order-status', ja: 'order-status-ja' },
  'faq-desk': { en: 'faq-desk', ja: 'faq-desk-ja' },
  survey: { en: 'survey', ja: 'survey-ja' },
  'opening-hours': { en: 'opening-hours' },
  'custom-llm': { en: 'custom-llm', ja: 'custom-llm' },
  blank: { en: null, ja: null },
} as const satisfies Record<string, Partial<Record<TemplateLanguage, string | null>>>;

export type TemplateLanguage = 'en' | 'ja';
export type TemplateName = keyof typeof templateExamples;

/** What the page opens with. */
export const firstTemplate: TemplateName = 'reception';

/** The templates in a language; blank is always the last. */
export function templatesIn(language: TemplateLanguage): readonly TemplateName[] {
  const names = Object.keys(templateExamples) as TemplateName[];
  return names.filter((name) => language in templateExamples[name]);
}

export interface ChosenTemplate {
  readonly name: TemplateName;
  readonly language: TemplateLanguage;
}

/** What a link asks for, such as `?template=survey&language=ja`; the language is that of the dashboard otherwise. */
export function askedTemplate(parameters: URLSearchParams, shown: TemplateLanguage): ChosenTemplate {
  // Links of earlier versions.
  if (parameters.get('template') === 'salon') return { name: 'reception', language: 'ja' };
  const language = (['en', 'ja'] as const).find((each) => each === parameters.get('language')) ?? shown;
  const name = (Object.keys(templateExamples) as TemplateName[]).find((each) => each === parameters.get('template'));
  if (name === undefined) return { name: firstTemplate, language };
  return language in templateExamples[name] ? { name, language } : { name, language: 'en' };
}
