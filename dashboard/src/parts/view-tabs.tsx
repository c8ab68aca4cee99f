import { Tabs } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useSearchParams } from 'wouter';
import { useCurrentTabInView } from './current-tab.ts';
import classes from './view-tabs.module.css';

interface View {
  readonly title: string;
  readonly content: () => ReactNode;
}

interface ViewTabsProps {
  readonly label: string;
  /** By their name in the address. The first is shown without one. */
  readonly views: Readonly<Record<string, View>>;
}

/** Parts of a page, one at a time: which one is in its address. */
export function ViewTabs({ label, views }: ViewTabsProps) {
  const [parameters, setParameters] = useSearchParams();
  const names = Object.keys(views);
  const [first = ''] = names;
  const view = names.find((name) => name === parameters.get('view')) ?? first;
  const tabs = useRef<HTMLDivElement>(null);
  useCurrentTabInView(tabs, view);
  return (
    <Tabs
      value={view}
      onChange={(name) => setParameters(name === null || name === first ? {} : { view: name }, { replace: true })}
      keepMounted={false}
      classNames={{ list: classes.tabs as string, tab: classes.tab as string }}
    >
      <Tabs.List ref={tabs} aria-label={label}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {views[name]?.title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name} pt="md">
          {name === view && views[name]?.content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
