import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useCanChangeGame } from '../../app/game';
import { ErrorText } from '../../components/ErrorState';
import { changesOf } from '../../components/form-submit';
import { Panel } from '../../components/Page';
import { SettingsForm } from '../../components/SettingsForm';
import { State } from '../../components/State';
import { markSaved, useStoredForm } from '../../components/use-stored-form';
import { checksOf, providerForms, toSettings, toText } from './provider-forms';
import { providerNames } from './provider-names';
import { useSaveProviderSettings, useSetProvider, type Provider } from './queries';
import { TrySnippet } from './TrySnippet';
import { PasswordField } from '../../components/PasswordField';

interface ProviderProps {
  tenantId: string;
  provider: Provider;
}

/** A provider: whether it is on, its settings, and a first request with it. */
export function ProviderPanel({ tenantId, provider }: ProviderProps) {
  const { text, fields } = providerForms[provider.provider];
  const canChange = useCanChangeGame();
  const set = useSetProvider(tenantId, provider.provider);
  const [isTrying, trying] = useDisclosure();
  const [isOpen, body] = useDisclosure(provider.enabled || provider.isConfigured || fields.length === 0);
  const name = providerNames[provider.provider];
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
          <ProviderState provider={provider} />
          <Switch
            aria-label={`${name} is on`}
            checked={set.isPending ? set.variables.enabled : provider.enabled}
            disabled={!canChange}
            onChange={({ currentTarget: { checked } }) => {
              if (checked) body.open();
              set.mutate({ enabled: checked });
            }}
          />
        </>
      }
    >
      <Stack gap="sm">
        <Text c="dimmed">{text}</Text>
        {set.error && <ErrorText error={set.error} />}
        {isOpen && fields.length > 0 && <ProviderForm tenantId={tenantId} provider={provider} />}
        {provider.enabled && provider.isConfigured && (
          <>
            <Button
              variant="default"
              w="fit-content"
              aria-label={`Try it: ${name}`}
              onClick={trying.toggle}
              aria-expanded={isTrying}
            >
              Try it
            </Button>
            {isTrying && <TrySnippet provider={provider} />}
          </>
        )}
      </Stack>
    </Panel>
  );
}

function ProviderState({ provider: { enabled, isConfigured } }: { provider: Provider }) {
  if (!enabled) return <State>Off</State>;
  return isConfigured ? <State tone="good">On</State> : <State tone="warn">Not configured</State>;
}

function ProviderForm({ tenantId, provider }: ProviderProps) {
  const { fields } = providerForms[provider.provider];
  const { isConfigured } = provider;
  const stored: Record<string, unknown> = provider.settings;
  const canChange = useCanChangeGame();
  const secrets = fields.flatMap(({ name, secret }) => (secret ? [name] : []));
  const save = useSaveProviderSettings(tenantId, provider.provider);
  const form = useStoredForm<Record<string, string>>(
    Object.fromEntries(fields.map(({ name }) => [name, toText(stored[name])])),
    save.isPending,
    { validate: checksOf(fields, isConfigured), validateInputOnBlur: true },
  );
  return (
    <SettingsForm
      name={provider.provider}
      verb="Save the settings"
      canChange={canChange}
      form={form}
      mutation={save}
      errorsBelow="settings."
      secrets={secrets}
      toInput={() => changesOf(form, (values) => toSettings(fields, values))}
      onDone={(_answer, sent) =>
        markSaved(form, sent, { ...sent, ...Object.fromEntries(secrets.map((name) => [name, ''])) })
      }
    >
      {fields.map(({ name, label, description, required, secret }) =>
        secret ? (
          <PasswordField
            key={name}
            label={label}
            description={isConfigured ? `${description} Leave it empty to keep the stored key.` : description}
            required={required && !isConfigured}
            disabled={!canChange}
            autoComplete="off"
            {...form.getInputProps(name)}
          />
        ) : (
          <TextInput
            key={name}
            label={label}
            description={description}
            required={required}
            disabled={!canChange}
            {...form.getInputProps(name)}
          />
        ),
      )}
    </SettingsForm>
  );
}
