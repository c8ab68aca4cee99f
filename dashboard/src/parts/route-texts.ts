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
    'calls.analysis.run': 'Call analyzed',
    'webhooks.create': 'Webhook created',
    'webhooks.update': 'Webhook updated',
    'webhooks.delete': 'Webhook deleted',
    'webhooks.test': 'Webhook tested',
    'webhooks.replay': 'Events replayed',
    'webhooks.deliveries.resend': 'Event resent',
    'webhooks.secret.get': 'Webhook secret shown',
    'webhooks.secret.rotate': 'Webhook secret rotated',
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
    'calls.analysis.run': '通話を分析',
    'webhooks.create': 'Webhookを作成',
    'webhooks.update': 'Webhookを更新',
    'webhooks.delete': 'Webhookを削除',
    'webhooks.test': 'Webhookをテスト',
    'webhooks.replay': 'イベントを一括再送',
    'webhooks.deliveries.resend': 'イベントを再送',
    'webhooks.secret.get': 'Webhookのシークレットを表示',
    'webhooks.secret.rotate': 'Webhookのシークレットをローテーション',
  },
);

/** Every action that the log can be filtered by. Revoking a key has two routes, with one label. */
export const routeIds: readonly string[] = Object.keys(routeTexts.en).filter((id) => id !== 'apiKeys.delete');

/** Unknown routes are shown by their id. */
export function routeText(routeId: string, language: 'en' | 'ja'): string {
  const texts: Readonly<Record<string, string>> = routeTexts[language];
  return Object.hasOwn(texts, routeId) ? (texts[routeId] as string) : routeId;
}
