import type { Random } from '../campaigns/random.ts';

/** What is said in the calls that the bench searches: four in five in Japanese, ten turns each. */

const japanese = [
  'お電話ありがとうございます。サロン銀座店でございます。',
  'ご希望の日時をお聞かせいただけますでしょうか。',
  '来週の{day}の{hour}時にカットとカラーの予約をお願いしたいのですが。',
  'かしこまりました。{day}の{hour}時でございますね。担当の{name}が承ります。',
  'お名前とお電話番号をお願いいたします。',
  '{name}{given}です。番号は090の{number}です。',
  '料金はおいくらになりますか。',
  'カットとカラーで{number}円でございます。',
  '{name}さんにお願いすることはできますか。',
  '申し訳ございません、その時間はすでに予約が入っております。',
  'それでは{hour}時半はいかがでしょうか。',
  'はい、それで大丈夫です。よろしくお願いします。',
  '{place}からですと、{line}線で{number}分ほどでございます。',
  '駐車場はございますか。{place}から車で行きます。',
  '商品の{thing}がまだ届いていないのですが、注文番号は{number}です。',
  '確認いたしますので、少々お待ちくださいませ。',
  '{thing}は{day}に{place}の倉庫を出て、配送中でございます。',
  'ご不便をおかけして申し訳ございません。',
];
const english = [
  'Thank you for calling, this is the front desk. How can I help you?',
  'Hi, I would like to book an appointment for {day} at {hour}, please.',
  'Certainly. May I have your name and phone number?',
  'My name is {name}, and the number is 090 {number}.',
  'I am calling about my order {number}, the {thing} has not arrived yet.',
  'Let me check that for you. One moment, please.',
  'It left our warehouse on {day} and should be with you by {hour}.',
  'Could you also tell me how much the {thing} costs?',
  'That would be {number} yen, including tax and shipping.',
  'Great, that works for me. Thank you very much for your help.',
  'You are welcome. Is there anything else I can do for you today?',
];
const words = {
  day: ['月曜日', '火曜日', '水曜日', '木曜日', '金曜日', '土曜日', '日曜日', 'Monday', 'Friday'],
  line: ['山手', '丸ノ内', '日比谷', '東西', '半蔵門', '都営浅草', '京王', '小田急'],
  place: [
    '新宿',
    '渋谷',
    '横浜',
    '川崎',
    '大宮',
    '千葉',
    '吉祥寺',
    '立川',
    '品川',
    '上野',
    '池袋',
    '中野',
    '町田',
    '藤沢',
  ],
  thing: ['シャンプー', 'ドライヤー', '炊飯器', '掃除機', '加湿器', 'keyboard', 'lamp', 'suitcase', 'jacket', 'kettle'],
  name: [
    '田中',
    '佐藤',
    '鈴木',
    '高橋',
    '伊藤',
    '渡辺',
    '山本',
    '中村',
    '小林',
    '加藤',
    '吉田',
    '山田',
    '松本',
    '井上',
  ],
  given: ['健一', '美咲', '翔太', '陽子', '大輔', '直美', '拓也', '恵', '裕子', '誠'],
};

export const rareWords = {
  inOneCall: '忘れ物の傘',
  inFew: { japanese: '返金', english: 'wheelchair' },
  inNone: { japanese: '観覧車', english: 'refrigerator' },
};

export function saidTurns(number: number, random: Random): string[] {
  const sentences = number % 5 === 0 ? english : japanese;
  const turns = Array.from({ length: 10 }, () => filled(random.pick(sentences), random));
  if (number % 1000 === 500) turns.push(rareWords.inFew.japanese, `Do you have a ${rareWords.inFew.english}?`);
  if (number === 0) turns.push(`${rareWords.inOneCall}はありますか。`);
  return turns;
}

function filled(sentence: string, random: Random): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'hour') return String(random.int(9, 20));
    if (name === 'number') return String(random.int(1000, 99_999_999));
    return random.pick(words[name as keyof typeof words]);
  });
}
