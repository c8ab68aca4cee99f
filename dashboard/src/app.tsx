import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type ComponentType, Suspense, useEffect } from 'react';
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from 'wouter';
import { LanguageProvider } from './language/language.tsx';
import { lazyPage } from './lazy-page.ts';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { NotFound } from './parts/not-found.tsx';
import { PageSkeleton } from './parts/page-skeleton.tsx';
import { SessionProvider } from './session/session.tsx';
import { Shell } from './shell/shell.tsx';
import { colours, theme } from './theme.ts';
import { TrialProvider } from './try/trial-provider.tsx';

// Each page is a separate chunk, loaded when it is first opened.
const Overview = lazyPage(async () => (await import('./pages/overview/overview.tsx')).Overview);
const Agents = lazyPage(async () => (await import('./pages/agents/agents.tsx')).Agents);
const Calls = lazyPage(async () => (await import('./pages/calls/calls.tsx')).Calls);
const CallPage = lazyPage(async () => (await import('./pages/call/call-page.tsx')).CallPage);
const Webhooks = lazyPage(async () => (await import('./pages/webhooks/webhooks.tsx')).Webhooks);
const WebhookPage = lazyPage(async () => (await import('./pages/webhooks/webhook-page.tsx')).WebhookPage);
const Secrets = lazyPage(async () => (await import('./pages/secrets/secrets.tsx')).Secrets);
const Providers = lazyPage(async () => (await import('./pages/providers/providers.tsx')).Providers);
const Keys = lazyPage(async () => (await import('./pages/keys/keys.tsx')).Keys);
const Audit = lazyPage(async () => (await import('./pages/audit/audit.tsx')).Audit);
const Service = lazyPage(async () => (await import('./pages/service/service.tsx')).Service);
const NewAgent = lazyPage(async () => (await import('./pages/new-agent/new-agent.tsx')).NewAgent);
const EditAgent = lazyPage(async () => (await import('./pages/agent/edit-agent.tsx')).EditAgent);

const ToOverview = Object.assign(() => <Redirect to="/overview" replace />, { load: Overview.load });
const ToProviders = Object.assign(() => <Redirect to="/settings/providers" replace />, { load: Providers.load });

interface PageRoute {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the props are the parameters of the path.
  readonly Page: ComponentType<any> & { readonly load: () => Promise<unknown> };
}

/** The first that matches is shown. */
const routes: readonly PageRoute[] = [
  { path: '/', Page: ToOverview },
  { path: '/sign-in', Page: ToOverview },
  { path: '/overview', Page: Overview },
  { path: '/agents', Page: Agents },
  { path: '/agents/new', Page: NewAgent },
  { path: '/agents/:id/:tab?', Page: EditAgent },
  { path: '/calls', Page: Calls },
  { path: '/calls/:id', Page: CallPage },
  { path: '/webhooks', Page: Webhooks },
  { path: '/webhooks/:id', Page: WebhookPage },
  { path: '/secrets', Page: Secrets },
  { path: '/settings/providers', Page: Providers },
  { path: '/settings/service', Page: Service },
  { path: '/settings', Page: ToProviders },
  { path: '/keys', Page: Keys },
  { path: '/audit', Page: Audit },
];

/** `signInCode` is that of a one-time link, if the page was opened with one. */
export function App({ signInCode }: { readonly signInCode: string | null }) {
  useEarlyPage();
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colours} defaultColorScheme="auto">
      <LanguageProvider>
        <Notifications position="bottom-center" limit={3} containerWidth={380} />
        <ErrorBoundary>
          <SessionProvider signInCode={signInCode}>
            <TrialProvider>
              <Shell>
                <Pages />
              </Shell>
            </TrialProvider>
          </SessionProvider>
        </ErrorBoundary>
      </LanguageProvider>
    </MantineProvider>
  );
}

/** Loads the page that is opened while the key is checked, or entered: otherwise it would be loaded after that. */
function useEarlyPage() {
  const [path] = useLocation();
  const { parser } = useRouter();
  useEffect(() => {
    const route = routes.find((candidate) => matchRoute(parser, candidate.path, path)[0]);
    // A failure is handled when the page is shown.
    route?.Page.load().catch(() => {});
  }, [path, parser]);
}

function Pages() {
  const [path] = useLocation();
  return (
    <ErrorBoundary place={path}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {routes.map(({ path, Page }) => (
            <Route key={path} path={path}>
              {(parameters: Record<string, string | undefined>) => <Page key={parameters.id} {...parameters} />}
            </Route>
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
