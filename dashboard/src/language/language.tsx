import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { en } from './en.ts';
import { createFormat, type Format } from './format.ts';
import { ja } from './ja.ts';
import type { BothLanguages } from './texts.ts';

export type Language = 'en' | 'ja';

interface LanguageContext {
  readonly language: Language;
  readonly texts: BothLanguages<typeof en>['en'];
  readonly format: Format;
  setLanguage(language: Language): void;
}

const storageName = 'voice-agents-language';
const shared: BothLanguages<typeof en> = { en, ja };
const Context = createContext<LanguageContext | null>(null);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      texts: shared[language],
      format: createFormat(language),
      setLanguage: (chosen: Language) => {
        localStorage.setItem(storageName, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <Context value={value}>{children}</Context>;
}

export function useLanguage(): LanguageContext {
  const value = useContext(Context);
  if (value === null) throw new Error('useLanguage must be used inside a LanguageProvider.');
  return value;
}

/** The texts of a page, in the current language. */
export function useTexts<Texts>(texts: BothLanguages<Texts>): BothLanguages<Texts>['en'] {
  return texts[useLanguage().language];
}

/** The saved language, or that of the browser. */
function firstLanguage(): Language {
  const stored = localStorage.getItem(storageName);
  if (stored === 'en' || stored === 'ja') return stored;
  return navigator.language.startsWith('ja') ? 'ja' : 'en';
}
