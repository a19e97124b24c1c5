import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../core/operator-error.ts';
import { pathExists } from '../../core/path-exists.ts';
import { clusterIn, prepareDataFolder } from './data-folder.ts';
import { postgresUser } from './programs.ts';

const exec = promisify(execFile);

/** A cluster that a restore creates. It appears in its data folder when it is published. The disposal removes the draft. */
interface ClusterDraft extends AsyncDisposable {
  /** A data folder in which PostgreSQL may run on the draft. */
  dataDir: string;
  /** Creates its files with `unpack`, which writes into an empty folder. */
  fill(unpack: (cluster: string) => Promise<void>): Promise<void>;
  /** Moves the cluster to its data folder, after PostgreSQL has ended. */
  publish(): Promise<void>;
}

const draftIn = (folder: string): string => join(folder, 'restoring');

/** The cluster of a data folder, and the draft of a server that creates it. */
const CLUSTERS = /^(postgres|new-cluster-.*)$/;

/**
 * Begins to restore the cluster of a data folder. Nobody else can create one there until the disposal. Throws {@link OperatorError} if
 * another process does or did.
 */
export async function draftCluster(folder: string): Promise<ClusterDraft> {
  const owner = await postgresUser();
  await prepareDataFolder(folder, owner);
  const draft = draftIn(folder);
  const cluster = clusterIn(draft);
  const isCreatedByAnother = () =>
    new OperatorError(`Another process has created a database in DATA_DIR (${folder}) at the same time.`);
  await using opened = new AsyncDisposableStack();
  await mkdir(draft).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? isRestored(folder) : error;
  });
  opened.defer(() => rm(draft, { recursive: true, force: true }));
  // A server that begins later calls refuseDuringRestore.
  if ((await readdir(folder)).some((name) => CLUSTERS.test(name))) throw isCreatedByAnother();
  const running = opened.move();
  return {
    dataDir: draft,
    async fill(unpack) {
      await mkdir(cluster);
      await unpack(cluster);
      await chmod(cluster, 0o700);
      if (owner) await exec('chown', ['-R', `${owner.uid}:${owner.gid}`, draft]);
    },
    async publish() {
      await rename(cluster, clusterIn(folder)).catch((error: NodeJS.ErrnoException) => {
        throw ['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '') ? isCreatedByAnother() : error;
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Throws {@link OperatorError} if a restore writes to a data folder. A server that creates a cluster there calls this after
 * its own draft exists, so that at least one of both sees the other.
 */
export async function refuseDuringRestore(folder: string): Promise<void> {
  if (await pathExists(draftIn(folder))) throw isRestored(folder);
}

const isRestored = (folder: string): OperatorError =>
  new OperatorError(
    `A restore writes to DATA_DIR (${folder}). Wait until it ends. If it was killed, delete ${draftIn(folder)}, and the avatars and archived events that it has unpacked.`,
  );
