import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCanChangeGame, useGame } from '../../app/game';
import { ErrorText } from '../../components/ErrorState';
import { definitionSettingsQuery, useSetAutoCreate } from '../definitions/queries';
import { providersQuery, useSetProvider } from '../providers/queries';

/** The sign-in of the command needs this provider, which new games do not have. */
export function MockSwitch() {
  const { id } = useGame();
  const { data } = useQuery(providersQuery(id));
  const set = useSetProvider(id, 'Mock');
  if (!data || data.items.some(({ provider, enabled }) => provider === 'Mock' && enabled)) return null;
  return (
    <Prerequisite
      text="The command needs the sign-in provider Mock, which is off. With Mock anyone signs in with any name: turn it off before you release the game."
      verb="Turn Mock on"
      change={set}
      onConfirm={() => set.mutate({ enabled: true })}
    />
  );
}

/** The event of the command has no definition. */
export function AutoCreateSwitch() {
  const { id } = useGame();
  const canChange = useCanChangeGame();
  const { data } = useQuery({ ...definitionSettingsQuery(id), enabled: canChange });
  const set = useSetAutoCreate(id);
  if (!data || data.autoCreate) return null;
  return (
    <Prerequisite
      text="The event has no definition. With auto-create, the first event of a new name creates its definition."
      verb="Turn auto-create on"
      change={set}
      onConfirm={() => set.mutate(true)}
    />
  );
}

function Prerequisite({
  text,
  verb,
  change,
  onConfirm,
}: {
  text: string;
  verb: string;
  change: { error: unknown; isPending: boolean };
  onConfirm: () => void;
}) {
  const canChange = useCanChangeGame();
  return (
    <>
      <Text>{text}</Text>
      {change.error != null && <ErrorText error={change.error} />}
      {canChange ? (
        <Button variant="default" w="fit-content" loading={change.isPending} onClick={onConfirm}>
          {verb}
        </Button>
      ) : (
        <Text>Ask an owner or admin of the workspace to turn it on.</Text>
      )}
    </>
  );
}
