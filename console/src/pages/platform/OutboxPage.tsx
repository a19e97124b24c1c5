import { Drawer, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Facts, Page } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { useRowPanel } from '../../components/use-panel';
import { useTableRows } from '../../components/use-table-rows';
import { outboxQuery, type Mail } from './queries';
import classes from './OutboxPage.module.css';

export function OutboxPage() {
  const mails = useInfiniteQuery(outboxQuery);
  const table = useTableRows(mails, ({ id }) => id);
  const { row: open, ...panel } = useRowPanel('email', table.rows, table.rowKey);
  return (
    <Page
      title="Outbox"
      subtitle="The emails of this server. Without a mail server they wait here to be read."
      fill
    >
      <DataTable
        label="Outbox"
        columns={columns}
        {...table}
        onOpen={panel.open}
        selectedKey={open?.id}
        empty={
          <EmptyState title="No emails">
            Codes, verifications, password resets, invitations and alerts appear here when they are sent.
          </EmptyState>
        }
      />
      <Drawer opened={open !== undefined} onClose={panel.close} title={open?.subject} size={560}>
        {open && (
          <Stack gap="md">
            <Facts
              facts={{
                To: open.to,
                Created: <RelativeTime at={open.createdAt} />,
                Sent: <MaybeTime at={open.sentAt} />,
                Failure: open.failure ?? '–',
              }}
            />
            <pre className={classes.text} tabIndex={0} role="region" aria-label="Text of the email">
              {open.text === null ? 'The text was deleted after the email was sent.' : withLinks(open.text)}
            </pre>
          </Stack>
        )}
      </Drawer>
    </Page>
  );
}

/** The text of a mail. A line that is the address of a page becomes a link. */
const withLinks = (text: string) =>
  text.split(/^(https?:\/\/\S+)$/m).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a key={part} href={part} target="_blank" rel="noreferrer">
        {part}
      </a>
    ),
  );

function MailState({ sentAt, failedAt }: Mail) {
  if (failedAt !== null) return <State tone="bad">Failed</State>;
  return sentAt === null ? <State tone="info">Waiting</State> : <State tone="good">Sent</State>;
}

const columns: Column<Mail>[] = [
  { id: 'subject', header: 'Subject', narrowWidth: 132, cell: ({ subject }) => subject },
  { id: 'to', header: 'To', width: 260, narrowWidth: 150, cell: ({ to }) => to },
  { id: 'state', header: 'State', width: 110, narrowWidth: 84, cell: (mail) => <MailState {...mail} /> },
  { id: 'created', header: 'Created', width: 130, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];
