import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

describe('a text', () => {
  it('is what was said, without fillers and acknowledgments at both ends and without an introduction', () => {
    check('text', japanese, [
      ['田中です', '田中'],
      ['えっと、田中です', '田中'],
      ['えーと田中です。', '田中'],
      ['はい、田中です', '田中'],
      ['はい田中です', '田中'],
      ['あの、えっと、田中と申します', '田中'],
      ['うーん、特にありません、はい', '特にありません'],
      ['あの店がいいです', 'あの店がいいです'],
      ['ハイ、ＡＢＣです', 'ＡＢＣ'],
      ['はいばらです', 'はいばら'],
      ['  田中  ', '田中'],
      ['そのうち', 'そのうち'],
      ['ではないです', 'ではないです'],
      ['じゃあ、コーヒーで', 'コーヒーで'],
      ['わかりました、コーヒーで', 'コーヒーで'],
      ['うんてんめんきょ', 'うんてんめんきょ'],
      ['ハイボール', 'ハイボール'],
      ['エーザイです', 'エーザイ'],
      ['はい、えっと、東京です、はい。', '東京'],
    ]);
    check('text', english, [
      ['John Smith', 'John Smith'],
      ['Um, John Smith', 'John Smith'],
      ["Well, uh, it's John, okay.", "it's John"],
      ['Yeah, okay, so a coffee please', 'a coffee please'],
      ['wellness', 'wellness'],
      ['Okay then', 'then'],
      ['Umbrella', 'Umbrella'],
      ['so-called experts', 'called experts'],
      ['a big yes', 'a big'],
      ['Right, let me see, blue', 'blue'],
      ['I said well', 'I said'],
    ]);
  });

  it('is not understood if it is only fillers', () => {
    check('text', japanese, [
      ['はい', undefined],
      ['えっと', undefined],
      ['えっと、あの、はい。', undefined],
      ['はい、はい', undefined],
      ['うーん…', undefined],
      ['、。', undefined],
      ['', undefined],
      ['   ', undefined],
      ['um', undefined],
    ]);
    check('text', english, [
      ['um', undefined],
      ['Well, um, uh...', undefined],
      ['yes', undefined],
      ['okay okay', undefined],
      ['', undefined],
    ]);
  });
});
