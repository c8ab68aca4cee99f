import type { Language } from '../language/language.tsx';

/** The keys of the flow editor, and what they do. */
export const editorKeys: Readonly<Record<Language, readonly (readonly [string, string])[]>> = {
  en: [
    ['/', 'search'],
    ['Enter', 'edit the step'],
    ['← ↑ → ↓', 'go to the next step'],
    ['Space', 'select several'],
    ['Alt + ← ↑ → ↓', 'move the selected steps'],
    ['Ctrl + Z, Ctrl + Shift + Z', 'undo, redo'],
    ['Ctrl + C, X, V, D', 'copy, cut, paste, duplicate'],
    ['Del', 'delete'],
    ['F, +, −', 'show everything, zoom'],
    ['Ctrl + S', 'save'],
  ],
  ja: [
    ['/', '検索'],
    ['Enter', 'ステップを編集'],
    ['← ↑ → ↓', '隣のステップへ移動'],
    ['Space', '複数を選択'],
    ['Alt + ← ↑ → ↓', '選択したステップを移動'],
    ['Ctrl + Z、Ctrl + Shift + Z', '元に戻す、やり直す'],
    ['Ctrl + C、X、V、D', 'コピー、切り取り、貼り付け、複製'],
    ['Del', '削除'],
    ['F、+、−', '全体を表示、拡大と縮小'],
    ['Ctrl + S', '保存'],
  ],
};
