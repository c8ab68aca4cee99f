import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { Suspense, useEffect } from 'react';
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from 'wouter';
import { LanguageProvider, useLanguage } from './language/language.tsx';
import { innerPages, navigation, type PageRoute } from './pages.ts';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { NotFound } from './parts/not-found.tsx';
import { PageName } from './parts/page-name.ts';
import { PageSkeleton } from './parts/page-skeleton.tsx';
import { SessionProvider } from './session/session.tsx';
import { Shell } from './shell/shell.tsx';
import { colors, theme } from './theme.ts';
import { TrialProvider } from './try/trial-provider.tsx';

/** Addresses without a page of their own. */
const redirects: Readonly<Record<string, string>> = {
  '/': '/overview',
  '/sign-in': '/overview',
  '/settings': '/settings/providers',
};

const routes: readonly PageRoute[] = [...navigation, ...innerPages];

/** `signInCode` is that of a one-time link, if the page was opened with one. */
export function App({ signInCode }: { readonly signInCode: string | null }) {
  useEarlyPage();
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto">
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
    const place = redirects[path] ?? path;
    const route = routes.find((candidate) => matchRoute(parser, candidate.path, place)[0]);
    // A failure is handled when the page is shown.
    route?.Page.load().catch(() => {});
  }, [path, parser]);
}

function Pages() {
  const [path] = useLocation();
  const { language } = useLanguage();
  return (
    <ErrorBoundary place={path}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {Object.entries(redirects).map(([from, to]) => (
            <Route key={from} path={from}>
              <Redirect to={to} replace />
            </Route>
          ))}
          {navigation.map(({ path, name, Page }) => (
            <Route key={path} path={path}>
              <PageName value={name[language]}>
                <Page />
              </PageName>
            </Route>
          ))}
          {innerPages.map(({ path, Page }) => (
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
