/** Explained wherever a person first meets the word. */
export const apiNameTexts = {
  en: 'A step is called a skill in the API.',
  ja: 'ステップは、APIでは「skill」と呼びます。',
};
