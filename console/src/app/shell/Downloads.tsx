import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect } from 'react';
import { endDownloads, useDownloads } from '../../components/downloads';
import { ErrorDetail } from '../../components/ErrorState';
import { formatBytes } from '../../components/format';
import classes from './Downloads.module.css';

/** The downloads of all pages: how far they are, and how to stop them. */
export function Downloads() {
  const downloads = useDownloads();
  // After a sign-out, nobody may save what the account could read.
  useEffect(() => endDownloads, []);
  const running = downloads.filter(({ error }) => error === undefined);
  // If a download runs, the browser asks before it closes the tab.
  useWindowEvent('beforeunload', (event) => running.length > 0 && event.preventDefault());
  return (
    <>
      <VisuallyHidden role="status">
        {running.length > 0 && `Exporting ${running.map(({ name }) => name).join(', ')}.`}
      </VisuallyHidden>
      {downloads.length > 0 && (
        <section className={classes.downloads} aria-label="Exports">
          {downloads.map(({ id, name, bytes, error, end }) => (
            <Group key={id} wrap="nowrap">
              {error === undefined ? (
                <Text>
                  {name}: {formatBytes(bytes)}
                </Text>
              ) : (
                <Stack gap={4} role="alert">
                  <Text fw={600}>{name} was not exported</Text>
                  <ErrorDetail error={error} />
                </Stack>
              )}
              <Button variant="default" flex="none" onClick={end}>
                {error === undefined ? 'Cancel' : 'Close'}
              </Button>
            </Group>
          ))}
        </section>
      )}
    </>
  );
}
