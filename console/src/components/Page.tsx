import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { createContext, useContext, useEffect, type ReactNode } from 'react';
import { announce } from './announcer';
import classes from './Page.module.css';

interface PageProps {
  title: string;
  /** A sentence about the purpose of the page, or a fact about its content. */
  subtitle?: ReactNode;
  /** The state of a record, beside its name. */
  state?: ReactNode;
  actions?: ReactNode;
  /** The content fills the window, and scrolls inside (tables). */
  fill?: boolean;
  children: ReactNode;
}

/** A state of all pages below, such as that of their game. Each shows it beside its title. */
export const StateOfPages = createContext<ReactNode>(null);

/** A page: one title, its actions, its content. */
export function Page({ title, subtitle, state, actions, fill = false, children }: PageProps) {
  useDocumentTitle(`${title} · Guildhall`);
  useEffect(() => announce(title), [title]);
  const stateOfPages = useContext(StateOfPages);
  return (
    <div className={classes.page} data-fill={fill || undefined}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes.heading}>
          <Group gap="xs">
            <Title order={1}>{title}</Title>
            {state}
            {stateOfPages}
          </Group>
          {subtitle && (
            <Text c="dimmed" component="div" className={classes.subtitle}>
              {subtitle}
            </Text>
          )}
        </div>
        {actions && (
          <Group gap="xs" mih={30}>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  );
}

/** A part of a page with a border and a heading. */
export function Panel({
  title,
  actions,
  flush = false,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  /** The content reaches the border (tables). */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={classes.panel}>
      {title && (
        <Group justify="space-between" className={classes.panelHead} gap="xs">
          <Title order={2}>{title}</Title>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      <div className={flush ? undefined : classes.panelBody}>{children}</div>
    </section>
  );
}

/** Facts of a record, by their names. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className={classes.facts}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
