import { inBothLanguages } from '../language/texts.ts';

/** The labels of audit entries, by route id. */
const routeTexts = inBothLanguages(
  {
    'agents.create': 'Agent created',
    'agents.update': 'Agent updated',
    'agents.delete': 'Agent deleted',
    'agents.duplicate': 'Agent duplicated',
    'agents.publish': 'Agent published',
    'agents.versions.restore': 'Version restored',
    'apiKeys.create': 'Key created',
    'apiKeys.rotate': 'Key rotated',
    'apiKeys.revoke': 'Key revoked',
    'apiKeys.delete': 'Key revoked',
    'calls.create': 'Call created',
    'calls.update': 'Call updated',
    'calls.end': 'Call ended',
    'calls.control': 'Call controlled',
    'calls.redact': 'Call redacted',
    'calls.delete': 'Call deleted',
    'calls.tokens.create': 'Call access created',
    'secrets.put': 'Secret set',
    'secrets.delete': 'Secret deleted',
  },
  {
    'agents.create': 'エージェントを作成',
    'agents.update': 'エージェントを更新',
    'agents.delete': 'エージェントを削除',
    'agents.duplicate': 'エージェントを複製',
    'agents.publish': 'エージェントを公開',
    'agents.versions.restore': 'バージョンを復元',
    'apiKeys.create': 'APIキーを作成',
    'apiKeys.rotate': 'APIキーをローテーション',
    'apiKeys.revoke': 'APIキーを失効',
    'apiKeys.delete': 'APIキーを失効',
    'calls.create': '通話を作成',
    'calls.update': '通話を更新',
    'calls.end': '通話を終了',
    'calls.control': '通話を操作',
    'calls.redact': '通話の内容を削除',
    'calls.delete': '通話を削除',
    'calls.tokens.create': '通話のアクセストークンを作成',
    'secrets.put': 'シークレットを設定',
    'secrets.delete': 'シークレットを削除',
  },
);

/** Unknown routes are shown by their id. */
export function routeText(routeId: string, language: 'en' | 'ja'): string {
  const texts: Readonly<Record<string, string>> = routeTexts[language];
  return Object.hasOwn(texts, routeId) ? (texts[routeId] as string) : routeId;
}
