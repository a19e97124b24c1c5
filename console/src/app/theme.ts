import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import type { MouseEvent } from 'react';
import { CLOSES_DIALOG } from '../components/dialogs';

// Every value of the visual language stands in this file. Components use the variables `--gh-…` and those of Mantine.

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#e0e3ff',
  '#c7ccfe',
  '#a9b0fd',
  '#8b92f9',
  '#5f63ee',
  '#4f46e5',
  '#4338ca',
  '#3730a3',
  '#312e81',
];

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f4f5f6',
  '#eaebee',
  '#dfe1e5',
  '#c8ccd2',
  '#9aa0aa',
  '#6a707b',
  '#4d525c',
  '#32363e',
  '#1a1d23',
];

const dark: MantineColorsTuple = [
  '#e8e9ec',
  '#b9bcc4',
  '#9da1ab',
  '#70747e',
  '#32353d',
  '#282b31',
  '#1c1e23',
  '#131417',
  '#0e0f11',
  '#090a0b',
];

/** Series of charts, readable on both backgrounds and different for people with a color vision deficiency. */
export const seriesColors = {
  light: ['#4f46e5', '#0f8a7e', '#c2570c', '#a21caf', '#5b6472'],
  dark: ['#8b92f9', '#3cc0b1', '#f0954d', '#dc7be8', '#a3abb9'],
};

const surface = { light: '#ffffff', dark: '#18191d' };

/** The axes and the background of charts. A canvas cannot use the variables. */
export const chartColors = {
  light: { text: '#5b616c', grid: gray[2], surface: surface.light },
  dark: { text: dark[2], grid: dark[5], surface: surface.dark },
};

/** Two series of the same color could not be told apart. */
export const MAX_SERIES = seriesColors.light.length;

/** The head of a dialog is no head of the page. */
const dialogAttributes = { header: { role: 'presentation' } };

const closeButton = { 'aria-label': 'Close', [CLOSES_DIALOG]: true };

/** The second click of a double click on what opens a dialog must not close it again. */
const overlayEvents = {
  onClickCapture(event: MouseEvent) {
    if (event.detail > 1) event.stopPropagation();
  },
};

const dialogStyles = { title: { fontSize: '0.9375rem', fontWeight: 600, overflowWrap: 'anywhere' } } as const;

/** Mantine's buttons of this size are 22 px high. WCAG 2.2 wants 24 px for each target. */
const atLeast24px =
  (small: string, height: string) =>
  (_theme: unknown, { size }: { size?: unknown }) => ({ root: size === small ? { [height]: '1.5rem' } : {} });

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 5 },
  colors: { indigo, gray, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '3px', sm: '5px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Text: { defaultProps: { size: 'sm' } },
    Button: { defaultProps: { size: 'xs' }, vars: atLeast24px('compact-xs', '--button-height') },
    ActionIcon: { vars: atLeast24px('sm', '--ai-size') },
    CloseButton: { vars: atLeast24px('sm', '--cb-size') },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', allowDeselect: false } },
    Textarea: { defaultProps: { size: 'sm' } },
    Switch: { defaultProps: { size: 'sm', w: 'fit-content' } },
    Checkbox: { defaultProps: { size: 'sm' } },
    // Otherwise its choices make a narrow page wider than the window if the reader spaces the letters.
    SegmentedControl: { styles: { root: { maxWidth: '100%', flexWrap: 'wrap' } } },
    Menu: {
      defaultProps: {
        transitionProps: { duration: 80 },
        shadow: 'md',
        // The focus would be on an element of the menu that is no item, has no name and cannot be seen.
        withInitialFocusPlaceholder: false,
      },
    },
    Modal: {
      styles: dialogStyles,
      defaultProps: {
        centered: true,
        // A click beside a form would discard what was typed.
        closeOnClickOutside: false,
        transitionProps: { duration: 120, transition: 'fade' },
        overlayProps: { backgroundOpacity: 0.4, ...overlayEvents },
        closeButtonProps: closeButton,
        closeOnEscape: false,
        attributes: dialogAttributes,
      },
    },
    Drawer: {
      styles: dialogStyles,
      defaultProps: {
        position: 'right',
        transitionProps: { duration: 120 },
        overlayProps: { backgroundOpacity: 0.2, ...overlayEvents },
        closeButtonProps: closeButton,
        closeOnEscape: false,
        attributes: dialogAttributes,
      },
    },
    Tabs: {
      defaultProps: { keepMounted: false },
      styles: { list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }, tab: { flex: 'none' } },
    },
  },
});

/** Text, borders and surfaces of both schemes. All texts have a contrast of at least 4.5 on their background. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': '#5b616c',
    '--mantine-color-placeholder': '#6a707b',
    '--mantine-color-error': '#c01f2e',
    '--mantine-color-anchor': indigo[6],
    '--mantine-color-default-border': gray[3],
    '--mantine-color-disabled-color': '#5b616c',
    '--gh-page': '#ffffff',
    '--gh-surface': surface.light,
    '--gh-sunken': gray[0],
    '--gh-hover': gray[1],
    '--gh-selected': indigo[0],
    '--gh-border': gray[2],
    '--gh-edge': 'rgb(26 29 35 / 0.18)',
    '--gh-good': '#18794e',
    '--gh-good-surface': '#e8f6ee',
    '--gh-warn': '#8f5300',
    '--gh-warn-surface': '#fdf2da',
    '--gh-bad': '#b3202e',
    '--gh-bad-surface': '#fdecec',
    '--gh-info': '#4338ca',
    '--gh-info-surface': indigo[0],
  },
  dark: {
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#8b8f99',
    '--mantine-color-error': '#ff8a90',
    '--mantine-color-anchor': indigo[3],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-disabled-color': dark[2],
    '--gh-page': dark[7],
    '--gh-surface': surface.dark,
    '--gh-sunken': '#101114',
    '--gh-hover': dark[6],
    '--gh-selected': '#22243d',
    '--gh-border': dark[5],
    '--gh-edge': 'rgb(232 233 236 / 0.18)',
    '--gh-good': '#5fcf95',
    '--gh-good-surface': '#12281d',
    '--gh-warn': '#f0b45a',
    '--gh-warn-surface': '#2b2110',
    '--gh-bad': '#ff8a90',
    '--gh-bad-surface': '#301719',
    '--gh-info': indigo[3],
    '--gh-info-surface': '#22243d',
  },
});
