import { Table } from '@mantine/core';
import { Link } from 'wouter';
import type { PhoneNumber } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { useAgentName } from '../../parts/agent-name.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { usePageName } from '../../parts/page-name.ts';
import row from '../../parts/row.module.css';
import { formatNumber } from '../../phone/number-format.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useCarrier } from '../../phone/use-phone.ts';
import { NumberStatusDot } from './number-status.tsx';
import classes from './numbers.module.css';
import { numbersTexts } from './texts.ts';

export function NumberTable({ numbers }: { readonly numbers: readonly PhoneNumber[] }) {
  const texts = useTexts(numbersTexts);
  return (
    <DataTable
      label={usePageName()}
      columns={[texts.number, texts.carrier, texts.status, texts.answers, texts.outbound]}
      cardsBelow="narrow"
      hasLongTitles
    >
      {numbers.map((number) => (
        <Row key={number.id} number={number} />
      ))}
    </DataTable>
  );
}

function Row({ number: phoneNumber }: { readonly number: PhoneNumber }) {
  const texts = useTexts(numbersTexts);
  const { id, number, name, carrierId, status, outbound } = phoneNumber;
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={`/numbers/${id}`} className={`${row.link} ${classes.number}`} data-opens-row>
          {formatNumber(number)}
        </Link>
        {name !== number && <span className={row.quiet}>{name}</span>}
      </Table.Td>
      <Table.Td data-title={texts.carrier}>
        <CarrierName id={carrierId} />
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <NumberStatusDot status={status} />
      </Table.Td>
      <Table.Td data-title={texts.answers}>
        <Answering number={phoneNumber} />
      </Table.Td>
      <Table.Td data-title={texts.outbound}>{outbound.enabled ? texts.on : texts.off}</Table.Td>
    </Table.Tr>
  );
}

/** The name of a carrier, and of its provider if that says more. */
export function CarrierName({ id }: { readonly id: string }) {
  const providers = useTexts(phoneTexts);
  const carrier = useCarrier(id);
  if (carrier === undefined) return '—';
  const provider = providers[carrier.provider];
  return (
    <span>
      {carrier.name}
      {provider !== carrier.name && <span className={row.quiet}>{provider}</span>}
    </span>
  );
}

function Answering({ number: { inbound } }: { readonly number: PhoneNumber }) {
  const texts = useTexts(numbersTexts);
  const name = useAgentName(inbound.agentId);
  const text = !inbound.enabled ? texts.inboundOff : (name ?? inbound.agentId ?? texts.nobodyAnswers);
  return <span>{text}</span>;
}
