import { Button, FileInput, Group, Modal, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable, type Column } from '../../components/DataTable';
import { DialogButtons } from '../../components/DialogButtons';
import { ErrorText } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import { leavingFile, useUnsavedChanges } from '../../components/unsaved-changes';
import { useDroppedFile } from './use-dropped-file';
import { useImportDefinitions, type ImportResult } from './queries';

/** Imports a CSV file, and shows each refused row with its reason. */
export function ImportDialog({
  tenantId,
  onClose,
  dropped,
}: {
  tenantId: string;
  onClose: () => void;
  dropped?: File | undefined;
}) {
  const [file, setFile] = useState<File | null>(dropped ?? null);
  const [overwriteExisting, setOverwrite] = useState(false);
  const importing = useImportDefinitions(tenantId);
  const choose = (next: File | null): void => {
    importing.reset();
    setFile(next);
  };
  useDroppedFile(importing.isPending ? undefined : choose);
  const unsaved = useUnsavedChanges(file !== null && !importing.data, leavingFile);
  // The answer says which rows were refused.
  const close = () => !importing.isPending && unsaved.leave(onClose);
  return (
    <Modal opened onClose={close} title="Import definitions" size="lg">
      {importing.data ? (
        <Result result={importing.data} onClose={onClose} onNext={() => choose(null)} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (file) importing.mutate({ file, overwriteExisting });
          }}
        >
          <Stack gap="sm">
            <Text c="dimmed">
              A CSV file with a header line. event_key and event_value are required. For changes, add id.
            </Text>
            <FileInput
              label="CSV file"
              placeholder="Choose a file, or drop it on the page"
              accept=".csv,text/csv"
              value={file}
              onChange={choose}
              // Otherwise the browser ignores the choice of the same file, which the reader may have corrected.
              fileInputProps={{ onClick: ({ currentTarget }) => (currentTarget.value = '') }}
              disabled={importing.isPending}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove the file' }}
              data-autofocus
              autoFocus
            />
            <Switch
              label="Change definitions that exist already (overwriteExisting)"
              description="Without this, rows of existing definitions are refused."
              checked={overwriteExisting}
              onChange={(event) => setOverwrite(event.currentTarget.checked)}
            />
            {importing.error && <ErrorText error={importing.error} />}
            <DialogButtons
              verb="Import the file"
              onCancel={close}
              isPending={importing.isPending}
              disabled={!file}
            />
          </Stack>
        </form>
      )}
      {unsaved.question}
    </Modal>
  );
}

type RowError = ImportResult['errors'][number];

function Result({
  result,
  onClose,
  onNext,
}: {
  result: ImportResult;
  onClose: () => void;
  onNext: () => void;
}) {
  return (
    <Stack gap="sm">
      <Text role="status">
        Rows in the file: {formatNumber(result.totalRows)}. {formatNumber(result.created)} created,{' '}
        {formatNumber(result.updated)} changed, {formatNumber(result.failed)} refused.
      </Text>
      {result.errors.length > 0 && (
        <DataTable
          inline
          label="Refused rows"
          columns={errorColumns}
          rows={result.errors}
          rowKey={({ rowNumber, message }) => `${rowNumber} ${message}`}
          empty={null}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onNext}>
          Import another file
        </Button>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}

const errorColumns: Column<RowError>[] = [
  { id: 'row', header: 'Row', width: 64, align: 'right', cell: ({ rowNumber }) => formatNumber(rowNumber) },
  {
    id: 'message',
    header: 'Why it was refused',
    cell: ({ message }) => <span data-tip={message}>{message}</span>,
  },
  { id: 'key', header: 'Event key', width: 150, cell: ({ eventKey }) => eventKey ?? '–' },
];
