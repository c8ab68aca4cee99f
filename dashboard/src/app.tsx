import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { LanguageProvider } from './language/language.tsx';
import { FaultBoundary } from './parts/fault-boundary.tsx';
import { NotFound } from './parts/not-found.tsx';
import { PageSkeleton } from './parts/page-skeleton.tsx';
import { SessionProvider } from './session/session.tsx';
import { Shell } from './shell/shell.tsx';
import { colours, theme } from './theme.ts';

// Each page is a file of its own, loaded when it is first opened.
const Overview = lazy(async () => ({ default: (await import('./pages/overview/overview.tsx')).Overview }));
const Agents = lazy(async () => ({ default: (await import('./pages/agents/agents.tsx')).Agents }));
const Keys = lazy(async () => ({ default: (await import('./pages/keys/keys.tsx')).Keys }));
const Audit = lazy(async () => ({ default: (await import('./pages/audit/audit.tsx')).Audit }));
const NewAgent = lazy(async () => ({ default: (await import('./pages/agent/new-agent.tsx')).NewAgent }));
const EditAgent = lazy(async () => ({ default: (await import('./pages/agent/edit-agent.tsx')).EditAgent }));
const Versions = lazy(async () => ({ default: (await import('./pages/agent/versions.tsx')).Versions }));
const Code = lazy(async () => ({ default: (await import('./pages/agent/code.tsx')).Code }));

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colours} defaultColorScheme="auto">
      <LanguageProvider>
        <Notifications position="bottom-right" limit={3} />
        <FaultBoundary>
          <SessionProvider>
            <Shell>
              <Pages />
            </Shell>
          </SessionProvider>
        </FaultBoundary>
      </LanguageProvider>
    </MantineProvider>
  );
}

function Pages() {
  return (
    <FaultBoundary>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          <Route path="/" component={ToOverview} />
          <Route path="/sign-in" component={ToOverview} />
          <Route path="/overview" component={Overview} />
          <Route path="/agents" component={Agents} />
          <Route path="/agents/new" component={NewAgent} />
          <Route path="/agents/:id">{({ id }) => <EditAgent key={id} id={id} />}</Route>
          <Route path="/agents/:id/versions">{({ id }) => <Versions key={id} id={id} />}</Route>
          <Route path="/agents/:id/code">{({ id }) => <Code key={id} id={id} />}</Route>
          <Route path="/keys" component={Keys} />
          <Route path="/audit" component={Audit} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </FaultBoundary>
  );
}

function ToOverview() {
  return <Redirect to="/overview" replace />;
}
