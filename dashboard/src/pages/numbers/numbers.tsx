import { Tabs } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { NumberIcon, PlusIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { useCurrentTabInView } from '../../parts/current-tab.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNewParameter } from '../../parts/new-parameter.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { phoneTexts } from '../../phone/texts.ts';
import { usePhoneNumbers } from '../../phone/use-phone.ts';
import callClasses from '../call/call.module.css';
import { Carriers } from './carriers.tsx';
import { DoNotCallList } from './do-not-call.tsx';
import { ImportNumber } from './import/import-number.tsx';
import { NumberTable } from './number-table.tsx';
import classes from './numbers.module.css';
import { numbersTexts } from './texts.ts';

const views = ['numbers', 'carriers', 'do-not-call'] as const;
type View = (typeof views)[number];

export function Numbers() {
  const texts = useTexts(numbersTexts);
  const [isImporting, setIsImporting] = useState(false);
  useNewParameter('phone-numbers:write', () => setIsImporting(true));
  useFocusReturn(isImporting);
  const actions = (
    <GuardedButton
      scope="phone-numbers:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setIsImporting(true)}
    >
      {texts.import}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={texts.description} actions={actions} />
      <ScopeGuard scope="phone-numbers:read">
        <Parts />
      </ScopeGuard>
      {isImporting && <ImportNumber onClose={() => setIsImporting(false)} />}
    </>
  );
}

function Parts() {
  const texts = useTexts(numbersTexts);
  const { responsible } = useTexts(phoneTexts);
  const [parameters, setParameters] = useSearchParams();
  const view = views.find((name) => name === parameters.get('view')) ?? 'numbers';
  const tabs = useRef<HTMLDivElement>(null);
  useCurrentTabInView(tabs, view);
  const show = (name: string | null) =>
    setParameters(name === null || name === 'numbers' ? {} : { view: name }, { replace: true });
  const content: Readonly<Record<View, () => ReactNode>> = {
    numbers: () => <NumberList />,
    carriers: () => <Carriers />,
    'do-not-call': () => <DoNotCallList />,
  };
  const titles: Readonly<Record<View, string>> = {
    numbers: texts.tabNumbers,
    carriers: texts.tabCarriers,
    'do-not-call': texts.tabDoNotCall,
  };
  return (
    <>
      <Tabs
        value={view}
        onChange={show}
        keepMounted={false}
        classNames={{ list: callClasses.tabs as string, tab: callClasses.tab as string }}
      >
        <Tabs.List ref={tabs} aria-label={texts.tabs}>
          {views.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {titles[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {views.map((name) => (
          <Tabs.Panel key={name} value={name} pt="md">
            {name === view && content[name]()}
          </Tabs.Panel>
        ))}
      </Tabs>
      <p className={classes.note}>{responsible}</p>
    </>
  );
}

function NumberList() {
  const texts = useTexts(numbersTexts);
  const empty = (
    <EmptyState icon={<NumberIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <ListCard list={usePhoneNumbers()} empty={empty}>
      {(numbers) => <NumberTable numbers={numbers} />}
    </ListCard>
  );
}
