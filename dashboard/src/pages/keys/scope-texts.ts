import { type Scope, scopes } from '../../../../src/contract/scopes.ts';
import type { Language } from '../../language/language.tsx';

const japanese: Partial<Record<Scope, string>> = {
  'agents:read': 'エージェントの一覧表示、検索、閲覧',
  'agents:write': 'エージェントの作成、更新、公開、削除',
  'keys:read': 'APIキーの一覧表示',
  'keys:write': 'APIキーの作成、ローテーション、失効',
  'audit:read': '監査ログの閲覧',
  'calls:read': '通話の閲覧（会話、録音、分析結果を含む）',
  'calls:write': '通話の開始、操作、終了、削除と、シミュレーションの実行',
  'phone-numbers:read': 'キャリア、電話番号、発信禁止リストの閲覧',
  'phone-numbers:write': 'キャリアの登録、電話番号の追加と設定、発信の許可、発信禁止リストの変更',
  'knowledge:read': 'ナレッジベースと文書の一覧表示、閲覧、検索',
  'knowledge:write':
    'ナレッジベースと文書の作成、変更、削除（アドレスの取得と、埋め込みプロバイダーへの文章の送信を行います）',
  'providers:write': '音声や言語モデルのプロバイダーのキーとアドレスの設定、確認、削除',
  'secrets:read': 'シークレット名の一覧表示',
  'secrets:write': 'シークレットの設定と削除',
  'webhooks:read': 'Webhook、配信、イベントの閲覧（通話の内容を含む）',
  'workflows:read': 'ワークフローと実行の閲覧（通話の内容を含む）',
  'workflows:write': 'ワークフローの作成、変更、テスト、実行、キャンセル（通話の内容を外部に送信し、電話をかけます）',
  'webhooks:write': 'Webhookとそのシークレットの管理（通話の内容を外部に送信します）',
};

/** What a scope allows: in English as in the contract, as are scopes that have no translation yet. */
export function scopeText(scope: Scope, language: Language): string {
  return (language === 'ja' ? japanese[scope] : undefined) ?? scopes[scope];
}
