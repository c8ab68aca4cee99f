import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordingNameOf } from '../../../src/areas/calls/record/recordings.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { wavHeader } from '../../../src/voice/audio/wav.ts';
import type { Service } from '../../support/service.ts';
import { type SpokenCallPlace, storeSpokenCall } from './spoken-call.ts';

const rate = 16_000;
export const recordedMs = 24_000;

const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs, confidence: 0.9 });

/** With an interruption at 9.4 s, a silence from 12.6 s to 16 s, and measured words in the first turn of the caller. */
const recordedTurns: readonly Partial<Turn>[] = [
  { source: 'begin', text: 'Sakura Salon, good afternoon. How can I help you?', startMs: 300, endMs: 3300 },
  {
    role: 'caller',
    text: 'Hi, I would like to move my appointment.',
    startMs: 4000,
    endMs: 6400,
    words: [
      word('Hi', 4000, 4300),
      word('I', 4600, 4700),
      word('would', 4700, 4900),
      word('like', 4900, 5100),
      word('to', 5100, 5200),
      word('move', 5200, 5500),
      word('my', 5500, 5700),
      word('appointment', 5700, 6400),
    ],
  },
  {
    text: 'Of course. We have Friday at three, Saturday at',
    unspokenText: ' ten, and Sunday at noon.',
    interrupted: true,
    startMs: 7000,
    endMs: 9400,
  },
  { role: 'caller', text: 'Friday is fine. It is under Tanaka.', startMs: 9000, endMs: 12_600 },
  { source: 'waiting', text: 'One moment, please.', startMs: 16_000, endMs: 17_200 },
  { text: 'Done: Friday at three. Is there anything else?', startMs: 17_800, endMs: 20_400 },
  { role: 'caller', text: 'No, thank you.', startMs: 21_000, endMs: 22_100 },
  { text: 'Goodbye.', startMs: 22_600, endMs: 23_300 },
];

/** The same in Japanese, for pictures. */
export const japaneseTurns: readonly Partial<Turn>[] = [
  'お電話ありがとうございます。Sakura Salonでございます。ご用件をどうぞ。',
  'すみません、予約の日を変えたいのですが。',
  'かしこまりました。金曜日の15時、土曜日の10時、',
  '金曜日でお願いします。田中です。',
  '少々お待ちください。',
  '金曜日の15時に変更しました。ほかにご用件はございますか。',
  'いえ、大丈夫です。',
  'それでは失礼いたします。',
].map((text, index) => ({
  ...recordedTurns[index],
  text,
  words: [],
  ...(index === 2 && { unspokenText: '日曜日の12時が空いております。' }),
}));

/** Stores a spoken call with its recording in the service's folder for media. */
export async function storeRecordedCall(
  service: Pick<Service, 'database'>,
  place: SpokenCallPlace,
  mediaFolder: string,
  turns = recordedTurns,
): Promise<string> {
  const file = recordingOf(turns);
  const name = recordingNameOf(`call_${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 30)}`);
  const path = join(mediaFolder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file);
  return storeSpokenCall(service, place, {
    turns,
    durationMs: recordedMs,
    outcome: { recording: { status: 'available', durationMs: recordedMs, sizeBytes: file.length } },
    recording: { name, sha256: createHash('sha256').update(file).digest('hex') },
  });
}

/** A hum in syllables wherever somebody speaks: the caller left, the agent right. */
function recordingOf(turns: readonly Partial<Turn>[]): Buffer {
  const samples = new Int16Array((recordedMs / 1000) * rate * 2);
  for (const { role, startMs = 0, endMs = 0 } of turns) {
    const isCaller = role === 'caller';
    for (let frame = (startMs / 1000) * rate; frame < (endMs / 1000) * rate; frame += 1) {
      const seconds = frame / rate;
      const syllable = Math.sin(Math.PI * 4.3 * seconds) ** 2 * (0.55 + 0.45 * Math.sin(7.7 * seconds));
      const hum =
        Math.sin(2 * Math.PI * (isCaller ? 140 : 210) * seconds) + 0.4 * Math.sin(2 * Math.PI * 590 * seconds);
      samples[Math.floor(frame) * 2 + (isCaller ? 0 : 1)] = Math.round(7000 * syllable * hum);
    }
  }
  const bytes = bytesOf(samples);
  return Buffer.concat([wavHeader(rate, 2, bytes.length), bytes]);
}
