import { SeededRandom } from '../../../src/voice/simulation/random.ts';

/** Somebody, or something, that answers a call: sentences with the pauses between them, and the tone of a voicemail. */
export interface Phone {
  readonly by: 'human' | 'machine';
  readonly language: 'en' | 'ja';
  /** Before the first word. */
  readonly delayMs: number;
  readonly sentences: readonly {
    readonly words: readonly string[];
    readonly framesPerWord: number;
    readonly pauseMs: number;
  }[];
  readonly beep: { readonly hz: number; readonly ms: number } | null;
}

const shortEnglish = [
  'Hello?',
  'Hello, this is Anna.',
  'Yes?',
  'Hi, Tom here.',
  'Hello, who is this?',
  'Good morning.',
  'Smith residence.',
  'Yeah, hello?',
  'Hey, what is up?',
  'Doctor Brown speaking.',
  'Hello? Hello?',
  'Hi.',
];
const shortJapanese = [
  'もしもし',
  'はい、田中です',
  'はい',
  'はい、もしもし',
  'はい、山田商店です',
  'お電話ありがとうございます、鈴木です',
  'はい、どちら様ですか',
  'もしもし、佐藤ですけど',
  'あ、はい',
  'はい、お世話になっております',
];
/** Each sentence is followed by a pause. */
const longEnglish = [
  'Hello? | Who is there? | I can hardly hear you. | Can you speak up?',
  'Hi, this is Mary. | Sorry, I am driving. | What is it about?',
  'Good afternoon, Green Dental. | This is Kate. | How may I help you today?',
  'Yes, hello. | I was waiting for your call. | Just give me a second.',
  'Hello. | Oh, it is you. | I tried to call you twice this morning.',
  'Garden Hotel, reception, Paul speaking, how can I help you?',
];
const longJapanese = [
  'はい、もしもし | 聞こえていますか | 少し電波が悪いようです',
  'はい、緑歯科クリニックです | 受付の高橋です | ご用件は何でしょうか',
  'もしもし | ああ、お待ちしていました | ちょっと待ってくださいね',
  'はい、田中でございます | 今運転中なんですけど | どうされましたか',
  'お電話ありがとうございます、さくらホテル、フロントの木村が承ります',
];
const voicemailEnglish = [
  'Hi, you have reached Bob Miller. | Please leave a message after the tone.',
  'Hello, this is Jane. | I cannot come to the phone right now, but if you leave your name and number I will get back to you.',
  'Your call has been forwarded to an automatic voice message system.',
  'The person you are calling is not available. | Please record your message after the beep.',
  'Thank you for calling City Bikes. | Our office is closed. | Our hours are nine to five.',
  'Hey, it is Mike, you know what to do.',
  'Hi, this is the voicemail of Dana Fox.',
  'You have reached the Wilsons, we are out having fun, so talk to the machine and one of us will listen to it later',
  'Sorry, I missed your call. | Leave me something nice.',
  'The mailbox is full and cannot accept any messages at this time. | Goodbye.',
  'The number you have dialed is not in service.',
  'Hi, this is Rachel from accounting, today is Tuesday and I am in meetings all day long until five in the afternoon',
];
const voicemailJapanese = [
  'ただいま留守にしております | 発信音の後にメッセージをお願いします',
  'お留守番サービスに接続します | 発信音の後に、お名前とご用件をお話しください',
  'おかけになった電話は、電波の届かない場所にあるか、電源が入っていないため、かかりません',
  '只今電話に出ることができません | のちほどおかけ直しください',
  'はい、佐藤です | ただいま外出しております | ご用件のある方は、ピーという音の後にどうぞ',
  'お電話ありがとうございます | 本日の営業は終了いたしました',
  'こちらは留守番電話です',
  '伝言メモです | ピーっと鳴りましたら、三十秒以内で話してください',
  'はい、鈴木工務店でございますがただ今全員が現場に出ておりまして電話を取れる者がおりません',
  'お呼びしましたが、お出になりません',
];

/** As many phones as asked for: half of them people, and always the same ones. */
export function phones(count: number, seed = 7): Phone[] {
  const random = new SeededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const between = (from: number, to: number): number => from + random.next() * (to - from);
  return Array.from({ length: count }, (_, index): Phone => {
    const language = index % 4 < 2 ? 'en' : 'ja';
    const isEnglish = language === 'en';
    const by = index % 2 === 0 ? 'human' : 'machine';
    const isLong = random.next() < 0.4;
    const people = isEnglish ? (isLong ? longEnglish : shortEnglish) : isLong ? longJapanese : shortJapanese;
    const text = pick(by === 'human' ? people : isEnglish ? voicemailEnglish : voicemailJapanese);
    // 2 to 3 words, or 6 to 9 characters in a second.
    const framesPerWord = Math.round(isEnglish ? between(16, 24) : between(11, 16));
    const sentences = text.split(' | ').map((sentence) => ({
      words: isEnglish ? sentence.split(' ') : (sentence.match(/.{1,2}/gu) ?? []),
      framesPerWord,
      pauseMs: Math.round(between(350, 900)),
    }));
    const hasBeep = by === 'machine' && random.next() < 0.7;
    const beep = hasBeep ? { hz: pick([425, 440, 700, 1000, 1400]), ms: Math.round(between(300, 900)) } : null;
    return { by, language, delayMs: Math.round(between(100, 1500)), sentences, beep };
  });
}

/** The samples of a tone. */
export function toneOf({ hz, ms }: { readonly hz: number; readonly ms: number }, rate = 16_000): Int16Array {
  const samples = new Int16Array(Math.round((ms * rate) / 1000 / 320) * 320);
  return samples.map((_, index) => Math.round(9000 * Math.sin((2 * Math.PI * hz * index) / rate)));
}
