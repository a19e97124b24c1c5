import { createHash } from 'node:crypto';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { hashFile } from '../../../../../core/hash-file.ts';
import { createFolder } from '../../../../../core/writable-folder.ts';
import { EVENT_SCOPES, type EventScope } from '../../event-row.ts';

/** The events of one tenant, scope and month. */
export interface MonthRef {
  tenantId: string;
  scope: EventScope;
  /** Format: `2026-01`. */
  month: string;
}

/** Events of a month that were archived together. Later events of the month are in further parts. */
export interface PartRef extends MonthRef {
  /** Higher than those of earlier parts of the month. No other run has written files of a part with this number. */
  part: number;
}

/** The name of a part within its tenant, which is its path too: `match/2026-01/part-1`. */
export const partName = ({ scope, month, part }: Omit<PartRef, 'tenantId'>): string =>
  `${scope}/${month}/part-${part}`;

/** The part that a path ends with: the opposite of {@link partName}. */
export function parsePartName(tenantId: string, path: string): PartRef | undefined {
  const [, scope, month, part] = /(match|player)\/(\d{4}-\d\d)\/part-(\d+)$/.exec(path) ?? [];
  return scope && month ? { tenantId, scope: scope as EventScope, month, part: Number(part) } : undefined;
}

/** A part whose manifest has this SHA-256. */
export interface StoredPart extends PartRef {
  manifestHash: Buffer;
}

/** The contents of a written part. */
export interface WrittenPart extends StoredPart {
  rows: number;
  bytes: number;
  firstAt: string;
  lastAt: string;
}

/** The files of a part: what queries read, and what proves its rows. */
export const EVENTS_FILE = 'events.parquet';
export const PROOFS_FILE = 'proofs.parquet';
export const MANIFEST_FILE = 'manifest.json';
/** The files with the rows of a part. */
export const ROW_FILES = [EVENTS_FILE, PROOFS_FILE];
/** In the order in which they are written. */
export const PART_FILES = [...ROW_FILES, MANIFEST_FILE];

/** Describes a part for anybody who has its files alone. */
export interface PartManifest extends PartRef {
  format: 1;
  guildhall: string;
  createdAt: string;
  rows: number;
  /** The times of the first and the last event. */
  firstAt: string;
  lastAt: string;
  sortedBy: string[];
  files: { name: string; bytes: number; sha256: string; columns: Record<string, string> }[];
}

const monthFolder = (root: string, { tenantId, scope, month }: MonthRef): string =>
  join(root, tenantId, scope, month);

/** The folder of a part. */
export const partFolder = (root: string, part: PartRef): string => join(root, part.tenantId, partName(part));

/** The folder of a part while its files are written and uploaded. */
export const draftFolder = (root: string, part: PartRef): string => `${partFolder(root, part)}.tmp`;

/** The numbers of the parts of a month that have a folder, including those that no row of the database names. */
export async function listFolderNumbers(root: string, month: MonthRef): Promise<number[]> {
  return (await namesIn(monthFolder(root, month)))
    .map((name) => Number(/^part-(\d+)$/.exec(name)?.[1] ?? Number.NaN))
    .filter((part) => !Number.isNaN(part));
}

/** The names in the folder of the archive: those of tenants, and others. */
export const listTenantFolders = (root: string): Promise<string[]> => namesIn(root);

/** The parts of a tenant that have a folder. */
export async function listPartFolders(root: string, tenantId: string): Promise<PartRef[]> {
  const found: PartRef[] = [];
  for (const scope of EVENT_SCOPES)
    for (const month of await namesIn(join(root, tenantId, scope)))
      for (const part of await listFolderNumbers(root, { tenantId, scope, month }))
        found.push({ tenantId, scope, month, part });
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

/** Creates the empty folder in which the files of a part are written. */
export async function createDraft(root: string, part: PartRef): Promise<string> {
  const draft = draftFolder(root, part);
  await rm(draft, { recursive: true, force: true });
  await createFolder(draft);
  return draft;
}

/** Flushes the files of a draft to the disk, and adds the manifest. Returns the SHA-256 of the manifest. */
export async function completeDraft(
  root: string,
  about: Omit<PartManifest, 'files'>,
  columns: Record<string, Record<string, string>>,
): Promise<{ manifestHash: Buffer; bytes: number }> {
  const draft = draftFolder(root, about);
  const files: PartManifest['files'] = [];
  for (const [name, types] of Object.entries(columns)) {
    const path = join(draft, name);
    await sync(path);
    files.push({
      name,
      bytes: (await stat(path)).size,
      sha256: await hashFile(path),
      columns: types,
    });
  }
  const manifest = `${JSON.stringify({ ...about, files } satisfies PartManifest, undefined, 2)}\n`;
  await writeFile(join(draft, MANIFEST_FILE), manifest, { mode: 0o600, flush: true });
  await sync(draft);
  return {
    manifestHash: createHash('sha256').update(manifest).digest(),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Gives the folder of a complete draft its name. */
export async function publishDraft(root: string, part: PartRef): Promise<void> {
  const folder = partFolder(root, part);
  await rename(draftFolder(root, part), folder);
  for (let path = dirname(folder); path.length >= root.length; path = dirname(path)) await sync(path);
}

/** Deletes the files of a part, whether they were complete or not. */
export async function removePart(root: string, part: PartRef): Promise<void> {
  for (const folder of [draftFolder(root, part), partFolder(root, part)])
    await rm(folder, { recursive: true, force: true });
}

/** Deletes the drafts of all parts. No part may be written meanwhile. */
export async function removeDrafts(root: string): Promise<void> {
  const names = (await readdir(root, { recursive: true }).catch(ifMissing)) ?? [];
  for (const name of names)
    if (/part-\d+\.tmp$/.test(name)) await rm(join(root, name), { recursive: true, force: true });
}

/**
 * Reads the manifest of a part, and compares its hash and those of the files. Returns what is wrong with the first damaged file
 * instead. Only an intact manifest is read.
 */
export async function checkPart(root: string, part: StoredPart): Promise<PartManifest | string> {
  const folder = partFolder(root, part);
  return checkFiles(async (file) => {
    const handle = await open(join(folder, file)).catch(ifMissing);
    return handle?.createReadStream();
  }, part.manifestHash);
}

/** Does the work of {@link checkPart} wherever the files are. `openFile` returns undefined if a file does not exist. */
export async function checkFiles(
  openFile: (name: string) => Promise<Readable | undefined>,
  manifestHash: Buffer,
): Promise<PartManifest | string> {
  const stored = await openFile(MANIFEST_FILE);
  const text = stored && (await buffer(stored));
  if (!text) return `has no ${MANIFEST_FILE}`;
  if (!createHash('sha256').update(text).digest().equals(manifestHash))
    return `has a file ${MANIFEST_FILE} that does not match its checksum`;
  const manifest = JSON.parse(text.toString()) as PartManifest;
  for (const { name: file, sha256 } of manifest.files) {
    const content = await openFile(file);
    if (!content) return `has no ${file}`;
    if ((await hashFile(content)) !== sha256) return `has a file ${file} that does not match its checksum`;
  }
  return manifest;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
