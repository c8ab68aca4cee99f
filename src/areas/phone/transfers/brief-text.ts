import { isJapanese } from '../../../voice/text/language.ts';

/** What a person hears who is asked to take over a call. */
export function briefText(brief: string | null, language: string): string {
  if (isJapanese(language)) {
    return `${brief ?? 'お電話の転送です。'}電話に出る場合は、1を押すか、はいとお答えください。`;
  }
  return `${brief ?? 'You have a call.'} To take it, press 1 or say yes.`;
}
