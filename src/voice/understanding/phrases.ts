import { RE2JS } from 're2js';
import { fold } from '../../core/folding.ts';

export interface PhraseMatcher {
  match(words: string): number | undefined;
}

/** Temporary. */
export function compilePhrases(routes: readonly (readonly string[])[], _language: string): PhraseMatcher {
  const kana = (text: string) =>
    fold(text).replace(/[ァ-ヶ]/g, (each) => String.fromCharCode(each.charCodeAt(0) - 0x60));
  const compiled = routes.flatMap((route, index) =>
    route.map((phrase) => {
      const source = /^\/(.+)\/$/su.exec(phrase)?.[1];
      if (source === undefined) {
        const folded = kana(phrase);
        return { index, length: (words: string) => (kana(words).includes(folded) ? folded.length : -1) };
      }
      const pattern = RE2JS.compile(source);
      return {
        index,
        length: (words: string) => {
          const matcher = pattern.matcher(fold(words));
          return matcher.find() ? (matcher.group()?.length ?? 0) : -1;
        },
      };
    }),
  );
  return {
    match(words) {
      let best: { index: number; length: number } | undefined;
      for (const { index, length } of compiled) {
        const found = length(words);
        if (found >= 0 && (best === undefined || found > best.length)) best = { index, length: found };
      }
      return best?.index;
    },
  };
}
