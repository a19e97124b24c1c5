import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './AuthPage.module.css';

/** The frame of the pages without a session. */
export function AuthPage({
  title,
  text,
  children,
}: {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} · Guildhall`);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <img src="/favicon.svg" width={32} height={32} alt="" />
        <Stack gap={4} mt="md" mb="lg">
          <Title order={1}>{title}</Title>
          {text && <Text c="dimmed">{text}</Text>}
        </Stack>
        {children}
      </div>
    </main>
  );
}
