/**
 * The agents that the bench creates: about 1.4 KB as stored, half of them Japanese. The names are built so that a
 * search can be common, rare or absent; see `searchWords`.
 */

const shopsInJapanese = ['銀座店', '渋谷店', '梅田店', '札幌駅前店', '那覇店', '金沢本店', '横浜西口店', '京都四条店'];
const shopsInLatin = ['Ginza', 'Shibuya', 'Umeda', 'Sapporo', 'Naha', 'Kanazawa', 'Yokohama', 'Kyoto', 'Lyon', 'Köln'];
const dutiesInJapanese = ['予約受付', '電話受付', '問い合わせ窓口', '注文受付', '夜間案内', 'サポート窓口'];
const dutiesInLatin = ['Reception', 'Booking desk', 'Order line', 'After hours', 'Support desk', 'Café reservations'];
const voices = ['ja-JP-Nanami', 'ja-JP-Keita', 'en-US-Ava', 'en-GB-Sonia', 'de-DE-Katja'];
const rareEvery = 20_011;

const promptInJapanese =
  'あなたは美容室の受付です。丁寧な敬語で話し、お名前、ご希望の日時、メニューを順に伺ってください。空きがなければ近い時間を二つ提案します。';
const promptInLatin =
  'You answer the phone of a hair salon. Ask for the name, the day and the service, one after the other. Where there is no room, offer the two nearest times and repeat the booking before you say goodbye.';

export const searchWords = {
  common: { one: ['a', '店'], two: ['re', '受付'], many: ['Reception', '予約受付'] },
  rare: { two: ['zq', '蘭亭'], many: ['Zqarandir', '蘭亭別館'] },
  absent: { one: ['#', '鰯'], two: ['#~', '鰯鱈'], many: ['Xylophone', '竜宮城の受付'] },
} as const;

/** The body of a create request: the same number gives the same agent. */
export function agentRequest(number: number) {
  const isJapanese = number % 2 === 0;
  return {
    name: nameOf(number, isJapanese),
    voiceId: pick(voices, number),
    responseEngineType: 'single_prompt' as const,
    prompt: isJapanese ? promptInJapanese : promptInLatin,
    language: isJapanese ? 'ja' : 'en',
    beginMessage: isJapanese ? 'お電話ありがとうございます。' : 'Thank you for calling. How can I help?',
    adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
    boostedKeywords: isJapanese ? ['カット', 'ブリーチ'] : ['balayage', 'keratin'],
    voiceSpeed: 1 + (number % 5) / 10,
  };
}

function nameOf(number: number, isJapanese: boolean): string {
  const serial = String(number).padStart(7, '0');
  if (number % rareEvery === 1) return `Zqarandir ${serial}`;
  if (number % rareEvery === 2) return `蘭亭別館 ${serial}`;
  return isJapanese
    ? `${pick(shopsInJapanese, Math.floor(number / 2))} ${pick(dutiesInJapanese, Math.floor(number / 16))} ${serial}`
    : `${pick(dutiesInLatin, Math.floor(number / 2))} ${pick(shopsInLatin, Math.floor(number / 12))} ${serial}`;
}

function pick(list: readonly string[], number: number): string {
  return list[number % list.length] as string;
}
