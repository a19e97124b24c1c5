import {
  Button,
  Collapse,
  Group,
  PasswordInput,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCanChangeGame, useGame } from '../../app/game';
import { ErrorState, ErrorText } from '../../components/ErrorState';
import { changesOf, fieldErrors } from '../../components/form-submit';
import { Page, Panel } from '../../components/Page';
import { Snippet } from '../../components/Snippet';
import { State } from '../../components/State';
import { useUnsavedChanges } from '../../components/unsaved-changes';
import { useStoredForm } from '../../components/use-stored-form';
import { useKeyPlaceholder } from '../keys/queries';
import { providerNames } from '../players/providers';
import { providerForms, type Field } from './provider-forms';
import { providersQuery, useSaveProviderSettings, useSetProvider, type Provider } from './queries';

export function ProvidersPage() {
  const game = useGame();
  const providers = useQuery(providersQuery(game.id));
  return (
    <Page title="Sign-in providers" subtitle="How players sign in to this game">
      {providers.error && !providers.data && (
        <ErrorState
          error={providers.error}
          what="The providers could not be loaded"
          retry={() => void providers.refetch()}
        />
      )}
      {!providers.data && !providers.error && <Skeleton height={320} radius="md" />}
      {providers.data?.items.map((provider) => (
        <ProviderPanel key={provider.provider} tenantId={game.id} provider={provider} />
      ))}
    </Page>
  );
}

function ProviderPanel({ tenantId, provider }: { tenantId: string; provider: Provider }) {
  const { text, fields } = providerForms[provider.provider];
  const canChange = useCanChangeGame();
  const set = useSetProvider(tenantId, provider.provider);
  const save = useSaveProviderSettings(tenantId, provider.provider);
  const [isTrying, trying] = useDisclosure();
  const [isOpen, body] = useDisclosure(provider.enabled || provider.isConfigured || fields.length === 0);
  const name = providerNames[provider.provider];
  const form = useStoredForm<Record<string, string>>(
    Object.fromEntries(fields.map(({ name: field }) => [field, textOf(provider.settings[field])])),
  );
  const error = set.error ?? save.error;

  const unsaved = useUnsavedChanges(form.isDirty());

  return (
    <Panel
      title={name}
      actions={
        <>
          {!isOpen && canChange && (
            <Button variant="default" aria-label={`Set up ${name}`} onClick={body.open}>
              Set up
            </Button>
          )}
          {provider.enabled ? (
            <State tone={provider.isConfigured ? 'good' : 'warn'}>
              {provider.isConfigured ? 'On' : 'Not configured'}
            </State>
          ) : (
            <State>Off</State>
          )}
          <Switch
            aria-label={`${name} is on`}
            checked={set.isPending ? set.variables.enabled : provider.enabled}
            disabled={!canChange}
            onChange={({ currentTarget: { checked } }) =>
              set.mutate({ enabled: checked }, { onError: body.open })
            }
          />
        </>
      }
    >
      <Stack gap="sm" maw={520}>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {isOpen && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              save.mutate(
                changesOf(form, (values) => toSettings(fields, values)),
                {
                  onSuccess: () => form.resetDirty(),
                  onError: (refusal) => form.setErrors(withoutPrefix(fieldErrors(refusal))),
                },
              );
            }}
          >
            <Stack gap="sm">
              {isOpen &&
                fields.map(({ name: field, label, description, required, secret }) =>
                  secret ? (
                    <PasswordInput
                      key={field}
                      label={label}
                      description={
                        provider.isConfigured ? `${description} Empty keeps the stored key.` : description
                      }
                      required={required && !provider.isConfigured}
                      disabled={!canChange}
                      autoComplete="off"
                      {...form.getInputProps(field)}
                    />
                  ) : (
                    <TextInput
                      key={field}
                      label={label}
                      description={description}
                      required={required}
                      disabled={!canChange}
                      {...form.getInputProps(field)}
                    />
                  ),
                )}
              {unsaved.question}
              {error && <ErrorText error={error} />}
              <Group gap="xs">
                {fields.length > 0 && canChange && (
                  <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
                    Save the settings
                  </Button>
                )}
                {provider.enabled && (
                  <Button variant="default" onClick={trying.toggle} aria-expanded={isTrying}>
                    Try it
                  </Button>
                )}
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
      {isTrying && (
        <Collapse expanded={isTrying} mt="sm">
          <TrySnippet tenantId={tenantId} provider={provider} />
        </Collapse>
      )}
    </Panel>
  );
}

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

/** The settings of the form. An empty one is not sent: the server removes it, and keeps a stored secret. */
function toSettings(fields: Field[], values: Record<string, string>): Record<string, unknown> {
  const given = fields.map(({ name, list }): [string, unknown] => {
    const text = values[name]?.trim() ?? '';
    if (text === '') return [name, undefined];
    return [name, list ? text.split(',').map(Number) : text];
  });
  return Object.fromEntries(given);
}

/** The server names a field `settings.appId`. */
const withoutPrefix = (errors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => [path.replace(/^settings\./, ''), message]),
  );

function TrySnippet({ tenantId, provider: { provider } }: { tenantId: string; provider: Provider }) {
  const gameKey = useKeyPlaceholder(tenantId, 'game');
  const [path, body] = tryRequest(provider);
  const code = `curl -s ${window.location.origin}/api/player-auth/${path} \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
  return <Snippet code={code} label={`Try ${providerNames[provider]}`} />;
}

/** The first request of a sign-in with the provider. */
function tryRequest(provider: Provider['provider']): [path: string, body: object] {
  switch (provider) {
    case 'EvmWallet':
      return ['wallet/challenge', { address: '0x…' }];
    case 'EmailOneTimeCode':
      return ['email/otc', { email: 'you@example.com' }];
    case 'EmailPassword':
      return ['email/signup', { email: 'you@example.com', password: 'correct horse' }];
    case 'Mock':
      return ['login', { provider, token: 'mock:ada:secret' }];
    default:
      return ['login', { provider, token: '…' }];
  }
}
