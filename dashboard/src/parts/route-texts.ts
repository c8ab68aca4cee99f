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
  },
);

/** Unknown routes are shown by their id. */
export function routeText(routeId: string, language: 'en' | 'ja'): string {
  const texts: Readonly<Record<string, string>> = routeTexts[language];
  return Object.hasOwn(texts, routeId) ? (texts[routeId] as string) : routeId;
}
