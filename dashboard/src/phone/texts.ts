import { inBothLanguages } from '../language/texts.ts';

/** Words about phone numbers that several places share. */
export const phoneTexts = inBothLanguages(
  {
    nobody: 'Nobody',
    noCountries: 'No countries found',
    testNumber: 'Test number',
    inbound: 'Inbound',
    outbound: 'Outbound',
    test: 'Test carrier',
    twilio: 'Twilio',
    number: 'Phone number',
    numberPlaceholder: '+81 3 1234 5678',
    numberMissing: 'Enter a phone number with its country code, such as +81 3 1234 5678.',
    responsible:
      'You are responsible for when and whom you call: legal calling hours, consent and public do-not-call registers are not checked.',
    save: 'Save',
    saved: 'Saved.',
    edit: 'Edit',
    delete: 'Delete',
    verify: 'Verify',
    more: 'More actions',
  },
  {
    nobody: 'なし',
    noCountries: '該当する国はありません',
    testNumber: 'テスト用の番号',
    inbound: '着信',
    outbound: '発信',
    test: 'テスト用キャリア',
    twilio: 'Twilio',
    number: '電話番号',
    numberPlaceholder: '+81 3 1234 5678',
    numberMissing: '電話番号を国番号から入力してください（例：+81 3 1234 5678）。',
    responsible:
      '発信する時間帯と相手については、運用者の責任で法令に従ってください。法律で定められた時間帯、相手の同意、公的な拒否リストは確認されません。',
    save: '保存',
    saved: '保存しました。',
    edit: '編集',
    delete: '削除',
    verify: '接続を確認',
    more: 'その他の操作',
  },
);

export const directionTexts = inBothLanguages(
  { inbound: 'Inbound', outbound: 'Outbound' },
  { inbound: '着信', outbound: '発信' },
);
