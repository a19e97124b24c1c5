import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type AnchorElement = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps> & AnchorProps;
type ButtonElement = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps> & ButtonProps;

/** A link to a page of the console. */
export const TextLink = createLink((props: AnchorElement) => <Anchor {...props} />);

/** A link to a page of the console that looks like a button, as wide as its text. */
export const ButtonLink = createLink((props: ButtonElement) => (
  <Button component="a" variant="default" w="fit-content" {...props} />
));
