import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
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

/** `signInCode` is that of a one-time link, if the page was opened with one. */
export function App({ signInCode }: { readonly signInCode: string | null }) {
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

function Pages() {
  const [path] = useLocation();
  return (
    <ErrorBoundary place={path}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          <Route path="/" component={ToOverview} />
          <Route path="/sign-in" component={ToOverview} />
          <Route path="/overview" component={Overview} />
          <Route path="/agents" component={Agents} />
          <Route path="/agents/new" component={NewAgent} />
          <Route path="/agents/:id/:tab?">{({ id, tab }) => <EditAgent key={id} id={id} tab={tab} />}</Route>
          <Route path="/calls" component={Calls} />
          <Route path="/calls/:id">{({ id }) => <CallPage key={id} id={id} />}</Route>
          <Route path="/webhooks" component={Webhooks} />
          <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
          <Route path="/secrets" component={Secrets} />
          <Route path="/settings/providers" component={Providers} />
          <Route path="/settings/service" component={Service} />
          <Route path="/settings">
            <Redirect to="/settings/providers" replace />
          </Route>
          <Route path="/keys" component={Keys} />
          <Route path="/audit" component={Audit} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

function ToOverview() {
  return <Redirect to="/overview" replace />;
}
