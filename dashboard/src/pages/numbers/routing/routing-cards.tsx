import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { PhoneNumber } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { useAgentName } from '../../../parts/agent-name.ts';
import { Card } from '../../../parts/card.tsx';
import { Dot } from '../../../parts/dot.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { useFocusReturn } from '../../../parts/focus-return.ts';
import link from '../../../parts/link.module.css';
import { GuardedButton } from '../../../parts/scope-guard.tsx';
import { countryName, formatNumber } from '../../../phone/number-format.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { numbersTexts } from '../texts.ts';
import { fallbackOf } from './fallback.ts';
import { InboundForm } from './inbound-form.tsx';
import { OutboundForm } from './outbound-form.tsx';

interface NumberProps {
  readonly number: PhoneNumber;
}

export function InboundCard({ number }: NumberProps) {
  const { language } = useLanguage();
  const texts = useTexts(numbersTexts);
  const [isOpen, setIsOpen] = useState(false);
  useFocusReturn(isOpen);
  const { inbound } = number;
  const { agentVersion, allowedCountries, blockedNumbers, requestUrl } = inbound;
  const countries = allowedCountries.map((code) => countryName(code, language)).join(', ');
  const facts: (readonly [string, ReactNode])[] = [
    [texts.answers, <AgentLink key="agent" id={inbound.agentId} />],
    [texts.version, agentVersion === 'published' ? texts.published : texts.versionNumber(String(agentVersion))],
    [texts.fallback, <FallbackText key="fallback" number={number} />],
    [texts.allowedCountries, countries || texts.allCountries],
    [texts.blocked, blockedNumbers.map(formatNumber).slice(0, 10).join(', ') || texts.none],
    ...(requestUrl === null ? [] : [[texts.requestUrl, requestUrl] as const]),
  ];
  return (
    <Card title={texts.inboundTitle} actions={<EditButton title={texts.inboundTitle} onEdit={() => setIsOpen(true)} />}>
      {inbound.enabled ? <Facts facts={facts} /> : <Dot tone="quiet">{texts.inboundOff}</Dot>}
      {isOpen && <InboundForm number={number} onClose={() => setIsOpen(false)} />}
    </Card>
  );
}

export function OutboundCard({ number }: NumberProps) {
  const { format } = useLanguage();
  const texts = useTexts(numbersTexts);
  const [isOpen, setIsOpen] = useState(false);
  useFocusReturn(isOpen);
  const { enabled, agentIds, ringTimeoutMs } = number.outbound;
  const agents = agentIds.map((id) => (
    <div key={id}>
      <AgentLink id={id} />
    </div>
  ));
  return (
    <Card
      title={texts.outboundTitle}
      actions={<EditButton title={texts.outboundTitle} onEdit={() => setIsOpen(true)} />}
    >
      {enabled ? (
        <Facts
          facts={[
            [texts.outbound, texts.on],
            [texts.outboundAgents, agents.length === 0 ? texts.anyAgent : agents],
            [texts.rings, texts.seconds(format.number(ringTimeoutMs / 1000))],
          ]}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.outboundOff}
        </Text>
      )}
      {isOpen && <OutboundForm number={number} onClose={() => setIsOpen(false)} />}
    </Card>
  );
}

function EditButton({ title, onEdit }: { readonly title: string; readonly onEdit: () => void }) {
  const { edit } = useTexts(phoneTexts);
  return (
    <GuardedButton scope="phone-numbers:write" variant="default" size="compact-sm" onClick={onEdit}>
      {edit}
      <span className="visually-hidden"> ({title})</span>
    </GuardedButton>
  );
}

function AgentLink({ id }: { readonly id: string | null }) {
  const texts = useTexts(numbersTexts);
  const name = useAgentName(id);
  if (id === null) return texts.nobodyAnswers;
  return (
    <Link href={`/agents/${id}`} className={link.link as string}>
      {name ?? id}
    </Link>
  );
}

function FallbackText({ number: { inbound } }: NumberProps) {
  const texts = useTexts(numbersTexts);
  const fallback = fallbackOf(inbound);
  if (fallback.type === 'number') return texts.fallbackNumber(formatNumber(fallback.to));
  return fallback.type === 'message' ? texts.fallbackMessage(fallback.text) : texts.fallbackReject;
}
