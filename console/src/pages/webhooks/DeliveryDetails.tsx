import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGameNames } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import { JsonView } from '../../components/JsonView';
import { Facts } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { Snippet } from '../../components/Snippet';
import { useKeyNames } from '../usage/queries';
import { DeliveryState } from './WebhookState';
import {
  deliveryNames,
  deliveryQuery,
  PLATFORM,
  useRedeliver,
  type Delivery,
  type WebhookPath,
} from './queries';

interface DeliveryDetailsProps {
  path: WebhookPath;
  deliveryId: string;
  canChange: boolean;
  isEnabled: boolean;
}

/** The payload of a delivery and each attempt, with a button that sends it again. */
export function DeliveryDetails({ path, deliveryId, canChange, isEnabled }: DeliveryDetailsProps) {
  const query = useQuery(deliveryQuery(path, deliveryId));
  const redeliver = useRedeliver(path);
  const isOfWorkspace = path.workspaceId !== PLATFORM;
  const gameNames = useGameNames(path.workspaceId, { enabled: isOfWorkspace });
  const keyNames = useKeyNames(path.workspaceId, { enabled: isOfWorkspace });
  const { data } = query;
  if (!data) return <Pending query={query} failure="The delivery could not be loaded" height={200} />;
  const payload = JSON.parse(data.body) as Payload;
  const { tenantId, keyId } = payload.data ?? {};
  return (
    <Stack gap="md">
      <Facts
        facts={{
          Event: deliveryNames[data.eventType] ?? data.eventType,
          State: <DeliveryState delivery={data} />,
          Created: <RelativeTime at={data.createdAt} />,
          'Next attempt': <NextAttempt delivery={data} isEnabled={isEnabled} />,
          ...(tenantId && { Game: <CopyableId id={tenantId} name={gameNames.get(tenantId)} /> }),
          ...(keyId && { Key: <CopyableId id={keyId} name={keyNames.get(keyId)} /> }),
          'Delivery id': <CopyableId id={data.id} />,
        }}
      />
      {canChange && !isDue(data) && (
        <Button
          variant="default"
          w="fit-content"
          disabled={!isEnabled}
          loading={redeliver.isPending}
          onClick={() => redeliver.mutate(data.id)}
        >
          Redeliver
        </Button>
      )}
      {redeliver.error && <ErrorText error={redeliver.error} />}
      <Title order={2}>Payload</Title>
      <JsonView value={payload} name="Payload" />
      <Title order={2}>Attempts</Title>
      {data.history.length === 0 && <Text c="dimmed">Not attempted yet.</Text>}
      {data.history.map(({ number, startedAt, durationMs, statusCode, error: failure, answer }) => (
        <Stack key={number} gap={4}>
          <Text>
            {number}. {statusCode ?? (failure === null ? 'In progress' : 'No answer')}
            {durationMs !== null && ` in ${formatNumber(durationMs)} ms`}, <RelativeTime at={startedAt} />
          </Text>
          {failure !== null && (
            <Text size="xs" c="dimmed">
              {failure}
            </Text>
          )}
          {answer !== null && answer !== '' && (
            <Snippet code={answer} label={`Answer to attempt ${number}`} />
          )}
        </Stack>
      ))}
    </Stack>
  );
}

/** A delivery that waits for its next attempt can be sent now, for example after its endpoint was repaired. */
const isDue = ({ status, nextAttemptAt }: Delivery): boolean =>
  status === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) <= Date.now();

/** The game and the key of an alert are in its payload. */
interface Payload {
  data?: { tenantId?: string; keyId?: string };
}

interface NextAttemptProps {
  delivery: Pick<Delivery, 'nextAttemptAt'>;
  isEnabled: boolean;
}

/** The deliveries of a disabled webhook wait. */
export function NextAttempt({ delivery: { nextAttemptAt }, isEnabled }: NextAttemptProps) {
  return nextAttemptAt !== null && !isEnabled ? 'When it is enabled' : <MaybeTime at={nextAttemptAt} />;
}
