import { inBothLanguages } from '../../../language/texts.ts';

export const exportTexts = inBothLanguages(
  {
    title: 'Export calls as CSV',
    about: 'All calls that match the filters of the page, newest first. Nothing is stored on the service.',
    aboutSelected: (count: string) => `The ${count} selected calls. Nothing is stored on the service.`,
    columns: 'Columns',
    columnsHint: 'A field of a call, or a name after analysis.data., metadata., variables. or collectedVariables.',
    noColumns: 'Choose at least one column.',
    notColumn: (name: string) => `A call has no “${name}”.`,
    timeZone: 'Time zone',
    start: 'Export',
    next: 'Continue',
    done: (count: string) => `${count} calls so far`,
    apostrophe: 'Text that a spreadsheet would treat as a formula, such as =1+1 or +81, gets a leading apostrophe.',
    finished: (count: string) => `${count} calls exported.`,
  },
  {
    title: '通話をCSVでエクスポート',
    about: 'このページの条件に一致するすべての通話を、新しい順に書き出します。サービスには何も保存されません。',
    aboutSelected: (count) => `選択した${count}件の通話を書き出します。サービスには何も保存されません。`,
    columns: '列',
    columnsHint: '通話の項目、または analysis.data.、metadata.、variables.、collectedVariables. に続く名前です。',
    noColumns: '列を1つ以上選んでください。',
    notColumn: (name) => `通話に「${name}」という項目はありません。`,
    timeZone: 'タイムゾーン',
    start: 'エクスポート',
    next: '続ける',
    done: (count) => `${count}件まで取得済み`,
    apostrophe: '表計算ソフトが数式とみなす文字列（=1+1 や +81 など）の先頭には、アポストロフィが付きます。',
    finished: (count) => `${count}件の通話をエクスポートしました。`,
  },
);
