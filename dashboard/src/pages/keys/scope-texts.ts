import { inBothLanguages } from '../../language/texts.ts';

/** What each scope allows, as next to its name when a key is created. */
export const scopeTexts = inBothLanguages(
  {
    'agents:read': 'List, search and read agents.',
    'agents:write': 'Create, update, publish and delete agents.',
    'keys:read': 'List API keys.',
    'keys:write': 'Create, rotate and revoke API keys.',
    'audit:read': 'Read the audit log.',
    'calls:read': 'Read calls, with transcripts, recordings and analyses.',
    'calls:write': 'Start, control, end and delete calls, and run simulations.',
    'secrets:read': 'List the names of secrets.',
    'secrets:write': 'Set and delete secrets.',
    'webhooks:read': 'Read webhooks, deliveries and events, which contain call content.',
    'webhooks:write': 'Manage webhooks and their secrets. Sends call content to other systems.',
  },
  {
    'agents:read': 'エージェントの一覧表示、検索、閲覧',
    'agents:write': 'エージェントの作成、更新、公開、削除',
    'keys:read': 'APIキーの一覧表示',
    'keys:write': 'APIキーの作成、ローテーション、失効',
    'audit:read': '監査ログの閲覧',
    'calls:read': '通話の閲覧（文字起こし、録音、分析を含む）',
    'calls:write': '通話の開始、操作、終了、削除と、シミュレーションの実行',
    'secrets:read': 'シークレット名の一覧表示',
    'secrets:write': 'シークレットの設定と削除',
    'webhooks:read': 'Webhook、配信、イベントの閲覧（通話の内容を含む）',
    'webhooks:write': 'Webhookとそのシークレットの管理（通話の内容を外部に送信します）',
  },
);
