import { Button, CloseButton, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { formatCount, formatNumber } from '../../components/format';
import { Panel } from '../../components/Page';
import { opensPanel } from '../../components/use-panel';
import { State } from '../../components/State';
import { useVerification } from './use-verification';
import { parseHead, type Verdict } from './verify-ledger';

/** Verifies the whole ledger when it opens. */
export function VerifyPanel({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { mutate, stop, progress, isPending, data, error } = useVerification(tenantId);
  useEffect(() => mutate(undefined), [mutate]);
  return (
    <Panel
      title="Verification"
      actions={<CloseButton aria-label="Close the verification" onClick={onClose} />}
    >
      <Stack gap="sm">
        {isPending && <Running {...progress} onStop={stop} />}
        {error && (
          <Group justify="space-between">
            <ErrorText error={error} />
            <Button variant="default" onClick={() => mutate(undefined)}>
              Try again
            </Button>
          </Group>
        )}
        {data?.isSound === false && <Broken {...data} />}
        {/* It is on the page before its text is. Otherwise screen readers may not read the text. */}
        <div role="status" style={{ display: 'contents' }}>
          {data?.isSound && <Sound {...data} />}
        </div>
        {!isPending && !error && <SavedHead onVerify={mutate} isFirst={data === undefined} />}
      </Stack>
    </Panel>
  );
}

function Running({ verified, total, onStop }: { verified: number; total: number; onStop: () => void }) {
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Text>
          Computing the hashes again: {formatNumber(verified)} of {formatNumber(total)} entries
        </Text>
        <Progress
          value={total === 0 ? 0 : (verified / total) * 100}
          size="sm"
          aria-label="Verified entries"
          transitionDuration={0}
        />
      </Stack>
      <Button variant="default" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}

function Broken({ problem, verified, at }: Extract<Verdict, { isSound: false }>) {
  return (
    <Stack gap={4} role="alert">
      <Group gap="xs">
        <State tone="bad">Broken</State>
        <Text fw={500}>{problem}</Text>
      </Group>
      <Text c="dimmed">
        {formatCount(verified, 'entry')} before it {verified === 1 ? 'is' : 'are'} unaltered.{' '}
        <Link
          from="/games/$tenantId/wallet"
          to="."
          search={(search) => ({ ...search, entry: String(at) })}
          {...opensPanel}
        >
          Open entry {formatNumber(at)}
        </Link>
      </Text>
    </Stack>
  );
}

function Sound({ head: { index, hash } }: Extract<Verdict, { isSound: true }>) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <State tone="good">Sound</State>
        <Text fw={500}>
          {index === 1
            ? 'The only entry is unaltered.'
            : `All ${formatNumber(index)} entries are unaltered, and none is missing.`}
        </Text>
      </Group>
      <Text c="dimmed" component="div">
        Save this head outside of Guildhall. It proves later that nothing before it was changed:{' '}
        <CopyableId id={`${index}:${hash}`} whole />
      </Text>
    </Stack>
  );
}

function SavedHead({
  onVerify,
  isFirst,
}: {
  onVerify: (head?: ReturnType<typeof parseHead>) => void;
  isFirst: boolean;
}) {
  const [text, setText] = useState('');
  const head = parseHead(text);
  const isWrong = text.trim() !== '' && head === undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) onVerify(head);
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          size="xs"
          w={420}
          maw="100%"
          aria-label="Saved head"
          placeholder="Saved head, for example 1204:0x6f0c…"
          value={text}
          error={isWrong && 'A head is an index, a colon, and 0x with 64 hexadecimal digits.'}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {head ? 'Verify with this head' : isFirst ? 'Verify the ledger' : 'Verify again'}
        </Button>
      </Group>
    </form>
  );
}
