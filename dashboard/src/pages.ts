import type { ComponentType } from 'react';
import {
  AgentIcon,
  AuditIcon,
  BookIcon,
  CallIcon,
  ChartIcon,
  KeyIcon,
  NumberIcon,
  OverviewIcon,
  PriceIcon,
  ProviderIcon,
  SecretIcon,
  ServiceIcon,
  WebhookIcon,
  WorkflowIcon,
} from './icons.tsx';
import type { Language } from './language/language.tsx';
import { lazyPage } from './lazy-page.ts';
import type { Scope } from './session/use-session.ts';

export interface PageRoute {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the props are the parameters of the path.
  readonly Page: ComponentType<any> & { readonly load: () => Promise<unknown> };
}

/** A page of the navigation and of the palette. */
export interface NavigationPage extends PageRoute {
  readonly group: 'main' | 'develop' | 'settings';
  readonly name: Readonly<Record<Language, string>>;
  readonly Icon: ComponentType;
  readonly scope: Scope;
}

/** A new page is its folder and an entry here. Each is a separate chunk, loaded when it is first opened. */
export const navigation: readonly NavigationPage[] = [
  {
    path: '/overview',
    group: 'main',
    name: { en: 'Overview', ja: '概要' },
    Icon: OverviewIcon,
    scope: 'agents:read',
    Page: lazyPage(async () => (await import('./pages/overview/overview.tsx')).Overview),
  },
  {
    path: '/agents',
    group: 'main',
    name: { en: 'Agents', ja: 'エージェント' },
    Icon: AgentIcon,
    scope: 'agents:read',
    Page: lazyPage(async () => (await import('./pages/agents/agents.tsx')).Agents),
  },
  {
    path: '/calls',
    group: 'main',
    name: { en: 'Calls', ja: '通話' },
    Icon: CallIcon,
    scope: 'calls:read',
    Page: lazyPage(async () => (await import('./pages/calls/calls.tsx')).Calls),
  },
  {
    path: '/analytics',
    group: 'main',
    name: { en: 'Analytics', ja: 'アナリティクス' },
    Icon: ChartIcon,
    scope: 'analytics:read',
    Page: lazyPage(async () => (await import('./pages/analytics/analytics.tsx')).Analytics),
  },
  {
    path: '/numbers',
    group: 'main',
    name: { en: 'Numbers', ja: '電話番号' },
    Icon: NumberIcon,
    scope: 'phone-numbers:read',
    Page: lazyPage(async () => (await import('./pages/numbers/numbers.tsx')).Numbers),
  },
  {
    path: '/knowledge',
    group: 'main',
    name: { en: 'Knowledge', ja: 'ナレッジ' },
    Icon: BookIcon,
    scope: 'knowledge:read',
    Page: lazyPage(async () => (await import('./pages/knowledge/knowledge.tsx')).Knowledge),
  },
  {
    path: '/webhooks',
    group: 'main',
    name: { en: 'Webhooks', ja: 'Webhook' },
    Icon: WebhookIcon,
    scope: 'webhooks:read',
    Page: lazyPage(async () => (await import('./pages/webhooks/webhooks.tsx')).Webhooks),
  },
  {
    path: '/workflows',
    group: 'main',
    name: { en: 'Workflows', ja: 'ワークフロー' },
    Icon: WorkflowIcon,
    scope: 'workflows:read',
    Page: lazyPage(async () => (await import('./pages/workflows/workflows.tsx')).Workflows),
  },
  {
    path: '/keys',
    group: 'develop',
    name: { en: 'API keys', ja: 'APIキー' },
    Icon: KeyIcon,
    scope: 'keys:read',
    Page: lazyPage(async () => (await import('./pages/keys/keys.tsx')).Keys),
  },
  {
    path: '/secrets',
    group: 'develop',
    name: { en: 'Secrets', ja: 'シークレット' },
    Icon: SecretIcon,
    scope: 'secrets:read',
    Page: lazyPage(async () => (await import('./pages/secrets/secrets.tsx')).Secrets),
  },
  {
    path: '/audit',
    group: 'develop',
    name: { en: 'Audit log', ja: '監査ログ' },
    Icon: AuditIcon,
    scope: 'audit:read',
    Page: lazyPage(async () => (await import('./pages/audit/audit.tsx')).Audit),
  },
  {
    path: '/settings/providers',
    group: 'settings',
    name: { en: 'Providers', ja: 'プロバイダー' },
    Icon: ProviderIcon,
    scope: 'calls:read',
    Page: lazyPage(async () => (await import('./pages/providers/providers.tsx')).Providers),
  },
  {
    path: '/settings/prices',
    group: 'settings',
    name: { en: 'Prices', ja: '料金' },
    Icon: PriceIcon,
    scope: 'analytics:read',
    Page: lazyPage(async () => (await import('./pages/prices/prices.tsx')).Prices),
  },
  {
    path: '/settings/service',
    group: 'settings',
    name: { en: 'Service', ja: 'サービス' },
    Icon: ServiceIcon,
    scope: 'agents:read',
    Page: lazyPage(async () => (await import('./pages/service/service.tsx')).Service),
  },
];

/** Pages that are opened from another. The first that matches is shown. */
export const innerPages: readonly PageRoute[] = [
  { path: '/agents/new', Page: lazyPage(async () => (await import('./pages/new-agent/new-agent.tsx')).NewAgent) },
  { path: '/agents/:id/:tab?', Page: lazyPage(async () => (await import('./pages/agent/edit-agent.tsx')).EditAgent) },
  { path: '/calls/:id', Page: lazyPage(async () => (await import('./pages/call/call-page.tsx')).CallPage) },
  { path: '/numbers/:id', Page: lazyPage(async () => (await import('./pages/numbers/number-page.tsx')).NumberPage) },
  { path: '/knowledge/:id', Page: lazyPage(async () => (await import('./pages/knowledge/base-page.tsx')).BasePage) },
  {
    path: '/webhooks/:id',
    Page: lazyPage(async () => (await import('./pages/webhooks/webhook-page.tsx')).WebhookPage),
  },
  {
    path: '/workflows/new',
    Page: lazyPage(async () => (await import('./pages/workflows/new-workflow.tsx')).NewWorkflow),
  },
  {
    path: '/workflows/runs/:id',
    Page: lazyPage(async () => (await import('./pages/workflows/runs/run-page.tsx')).RunPage),
  },
  {
    path: '/workflows/:id',
    Page: lazyPage(async () => (await import('./pages/workflows/workflow-page.tsx')).WorkflowPage),
  },
];
