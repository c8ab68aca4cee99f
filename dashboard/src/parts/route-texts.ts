import { inBothLanguages } from '../language/texts.ts';

/** What an audit entry says was done, by its route id. */
const routeTexts = inBothLanguages(
  {
    'agents.create': 'Agent created',
    'agents.update': 'Agent changed',
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
    'agents.update': 'エージェントを変更',
    'agents.delete': 'エージェントを削除',
    'agents.duplicate': 'エージェントを複製',
    'agents.publish': 'エージェントを公開',
    'agents.versions.restore': 'バージョンを復元',
    'apiKeys.create': 'キーを作成',
    'apiKeys.rotate': 'キーをローテーション',
    'apiKeys.revoke': 'キーを失効',
    'apiKeys.delete': 'キーを失効',
  },
);

/** A route that is newer than this page is told by its id. */
export function routeText(routeId: string, language: 'en' | 'ja'): string {
  const texts: Readonly<Record<string, string>> = routeTexts[language];
  return Object.hasOwn(texts, routeId) ? (texts[routeId] as string) : routeId;
}
