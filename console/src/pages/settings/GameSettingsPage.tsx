import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCanChangeGame, useGame } from '../../app/game';
import { Pending } from '../../components/Pending';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { changesOf } from '../../components/form-submit';
import { formatBytes } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Page, Panel } from '../../components/Page';
import { SettingsForm } from '../../components/SettingsForm';
import { markSaved, useStoredForm } from '../../components/use-stored-form';
import { WholeNumberInput } from '../../components/WholeNumberInput';
import {
  alertSettingsQuery,
  useChangeAlertSettings,
  useChangeGame,
  useDisableGame,
  type AlertSettings,
} from './queries';

export function GameSettingsPage() {
  const game = useGame();
  const canChange = useCanChangeGame();
  return (
    <Page title="Game settings" subtitle={<CopyableId id={game.id} whole />}>
      <Panel title="Game">
        <GameForm />
      </Panel>
      <Panel
        title="Alert thresholds"
        actions={
          <ButtonLink
            to="/workspaces/$workspaceId/alerts"
            params={{ workspaceId: game.workspaceId }}
            search={{ tenantId: game.id }}
          >
            Open the alerts
          </ButtonLink>
        }
      >
        <AlertForm />
      </Panel>
      {canChange && (
        <Panel title={game.isActive ? 'Disable the game' : 'Enable the game'}>
          <GameState />
        </Panel>
      )}
    </Page>
  );
}

/** The rule of the server. */
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const checkThreshold = (value: number | string): string | null =>
  Number.isInteger(value) && Number(value) >= 1 ? null : 'Enter a whole number, at least 1.';

function GameForm() {
  const game = useGame();
  const canChange = useCanChangeGame();
  const change = useChangeGame(game);
  const { name, slug, hiddenFromDiscovery } = game;
  const form = useStoredForm({ name, slug, hiddenFromDiscovery }, change.isPending, {
    validate: {
      name: (text) => (text.trim() === '' ? 'Enter a name.' : null),
      slug: (text) =>
        SLUG.test(text) ? null : 'Use lower-case letters and digits, joined by single hyphens.',
    },
    validateInputOnBlur: true,
  });
  return (
    <SettingsForm
      verb="Save the game"
      canChange={canChange}
      form={form}
      mutation={change}
      toInput={() => changesOf(form, (values) => values)}
      onDone={(_answer, sent) => markSaved(form, sent)}
    >
      <TextInput label="Name" required disabled={!canChange} {...form.getInputProps('name')} />
      <TextInput
        label="Slug"
        description="Lower-case words joined by hyphens."
        required
        disabled={!canChange}
        {...form.getInputProps('slug')}
      />
      <Switch
        label="Hide from discovery"
        description="Public profiles then do not name this game."
        disabled={!canChange}
        {...form.getInputProps('hiddenFromDiscovery', { type: 'checkbox' })}
      />
    </SettingsForm>
  );
}

function AlertForm() {
  const query = useQuery(alertSettingsQuery(useGame().id));
  const { data } = query;
  if (!data) return <Pending query={query} failure="The thresholds could not be loaded" height={140} />;
  return <LoadedAlertForm settings={data} />;
}

function LoadedAlertForm({ settings }: { settings: AlertSettings }) {
  const canChange = useCanChangeGame();
  const change = useChangeAlertSettings(useGame().id);
  const form = useStoredForm(settings, change.isPending, {
    validate: { rateLimitPerMinute: checkThreshold, payloadBytesPerMinute: checkThreshold },
    validateInputOnBlur: true,
  });
  return (
    <SettingsForm
      verb="Save the thresholds"
      canChange={canChange}
      form={form}
      mutation={change}
      toInput={() => changesOf(form, (values) => values)}
      onDone={(_answer, sent) => markSaved(form, sent)}
    >
      <Text c="dimmed">
        A key above a threshold raises an alert, at most once in 15 minutes. A key can have thresholds of its
        own.
      </Text>
      <WholeNumberInput
        label="Requests per minute"
        disabled={!canChange}
        {...form.getInputProps('rateLimitPerMinute')}
      />
      <WholeNumberInput
        label="Bytes per minute"
        description={
          Number.isInteger(form.values.payloadBytesPerMinute)
            ? formatBytes(form.values.payloadBytesPerMinute)
            : undefined
        }
        disabled={!canChange}
        {...form.getInputProps('payloadBytesPerMinute')}
      />
    </SettingsForm>
  );
}

function GameState() {
  return useGame().isActive ? <DisableGame /> : <EnableGame />;
}

function EnableGame() {
  const change = useChangeGame(useGame());
  return (
    <Stack gap="sm">
      <Text c="dimmed">The keys of a disabled game are refused. Nothing is erased.</Text>
      {change.error && <ErrorText error={change.error} />}
      <Button w="fit-content" loading={change.isPending} onClick={() => change.mutate({ isActive: true })}>
        Enable the game
      </Button>
    </Stack>
  );
}

function DisableGame() {
  const [isAsking, asking] = useDisclosure();
  return (
    <Group justify="space-between">
      <Text c="dimmed">
        All keys of the game stop working. Nothing is erased, and you can enable it again.
      </Text>
      <Button variant="default" c="var(--gh-bad)" onClick={asking.open}>
        Disable the game
      </Button>
      {isAsking && <DisableDialog onClose={asking.close} />}
    </Group>
  );
}

function DisableDialog({ onClose }: { onClose: () => void }) {
  const game = useGame();
  const disable = useDisableGame(game);
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Disable ${game.name}`}
      verb="Disable the game"
      typed={game.name}
      mutation={disable}
      input={undefined}
    >
      Players cannot sign in, and running games get 401 for each request. You can enable the game again at any
      time.
    </ConfirmDialog>
  );
}
