import { ActionIcon, Tabs } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useCopy } from './use-copy';
import classes from './Snippet.module.css';

/** Code that works when it is pasted. */
export function Snippet({ code, label }: { code: string; label: string }) {
  const clipboard = useCopy();
  return (
    <div className={classes.snippet}>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
      <ActionIcon
        data-tip={clipboard.result ?? 'Copy'}
        className={classes.copy}
        variant="default"
        size="sm"
        aria-label={clipboard.result ?? `Copy: ${label}`}
        onClick={() => clipboard.copy(code)}
      >
        {clipboard.result === 'Copied' ? <Check size={14} /> : <Copy size={14} />}
      </ActionIcon>
    </div>
  );
}

/** A line for the shell that keeps a member of the answer in a variable, for the commands of the next steps. */
export const keep = (variable: string, member: string, answer: string): string =>
  String.raw`${variable}=$(echo "$${answer}" | sed 's/.*"${member}":"\([^"]*\)".*/\1/')`;

/** The package is not in the npm registry yet. */
const INSTALL = '// Make and install the package: docs/sdk.md in the repository, "Install".';

/** The same step for the shell and for the SDK. Its name tells the snippets of a page apart. */
export function Snippets({ name, curl, sdk }: { name: string; curl: string; sdk: string }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List mb="xs">
        <Tabs.Tab value="curl">curl</Tabs.Tab>
        <Tabs.Tab value="sdk">TypeScript</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="curl">
        <Snippet code={curl} label={`${name}: curl command`} />
      </Tabs.Panel>
      <Tabs.Panel value="sdk">
        <Snippet code={`${INSTALL}\n${sdk}`} label={`${name}: TypeScript code`} />
      </Tabs.Panel>
    </Tabs>
  );
}
