import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedServer } from '../../server/src/database/embedded/embedded-server.ts';
import { createApp } from '../../server/src/runtime/app.ts';
import { readConfig } from '../../server/src/runtime/config.ts';
import { prepareDatabase } from '../../server/src/runtime/prepare-database.ts';
import { createVault } from '../../server/src/security/vault.ts';
import { asAdministrator } from '../../server/src/testing/databases.ts';
import { hashDocument, reduceDocument } from './document.ts';
import { errorCodesText } from './error-codes.ts';

/**
 * Writes `src/api.ts`, the types of all operations, from the server's OpenAPI document, and `src/core/error-codes.ts`, the codes of its
 * errors. The generator is in `tools/`, which has an installation of its own: run `npm ci --prefix tools` once.
 */
const TYPES = fileURLToPath(new URL('../src/api.ts', import.meta.url));
const ERROR_CODES = fileURLToPath(new URL('../src/core/error-codes.ts', import.meta.url));
const TOOLS = new URL('../../tools/node_modules/', import.meta.url);

/** The part of openapi-typescript that is used here. It has no types for this TypeScript version. */
interface Generator {
  default(document: object, options: object): Promise<object[]>;
  astToString(nodes: object[]): string;
}

/** The part of TypeScript 5 that is used here. */
interface SyntaxFactory {
  createTypeReferenceNode(name: string): object;
  createUnionTypeNode(types: object[]): object;
  updatePropertySignature(
    property: Property,
    modifiers: object | undefined,
    name: object,
    questionToken: object | undefined,
    type: object,
  ): Property;
}

interface Property {
  modifiers?: object;
  name: object;
  questionToken?: object;
  type: object;
}

const [generator, syntax] = await loadTools();

const document = await readDocument();
const hash = hashDocument(document);
const types = generator.astToString(
  await generator.default(reduceDocument(document), {
    silent: true,
    transform: exactInteger,
    transformProperty: undefinedIfOptional,
    alphabetize: false,
    emptyObjectsUnknown: true,
    // A member of a request with a default may be left out.
    defaultNonNullable: false,
  }),
);
await writeFile(
  TYPES,
  `// Generated from the OpenAPI document by \`npm run generate --workspace sdk\`. Do not edit.\n// Document: ${hash}\n\n${types}`,
);
await writeFile(ERROR_CODES, errorCodesText());
console.log(`Wrote ${TYPES} and ${ERROR_CODES}.`);
process.exit(0);

/** 64-bit integers are exact in the client: a safe number or a bigint. With a maximum, each of them is a safe number. */
function exactInteger(schema: {
  format?: string;
  maximum?: number;
  type?: string | string[];
  anyOf?: { pattern?: string }[];
}) {
  const isLarge = schema.format === 'int64' && schema.maximum === undefined;
  const isExact = isLarge || schema.anyOf?.some(({ pattern }) => pattern === '^-?\\d+$');
  if (!isExact) return undefined;
  const isNullable = Array.isArray(schema.type) && schema.type.includes('null');
  // A name of a type may be any text for the printer.
  return syntax.createTypeReferenceNode(isNullable ? 'number | bigint | null' : 'number | bigint');
}

/** A member that may be left out may also be undefined, even with `exactOptionalPropertyTypes`: JSON leaves it out. */
function undefinedIfOptional(property: Property): Property {
  const { modifiers, name, questionToken, type } = property;
  if (!questionToken) return property;
  const union = syntax.createUnionTypeNode([type, syntax.createTypeReferenceNode('undefined')]);
  return syntax.updatePropertySignature(property, modifiers, name, questionToken, union);
}

async function loadTools(): Promise<[Generator, SyntaxFactory]> {
  try {
    const generator = await import(new URL('openapi-typescript/dist/index.mjs', TOOLS).href);
    const typescript = await import(new URL('typescript/lib/typescript.js', TOOLS).href);
    return [generator, typescript.default.factory];
  } catch {
    console.error('The generator is missing. Run `npm ci --prefix tools`, then try again.');
    process.exit(1);
  }
}

async function readDocument() {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-generate-'));
  const postgres = await startEmbeddedServer(folder, { fsync: 'off' });
  try {
    await asAdministrator(postgres.url('postgres'), 'CREATE DATABASE document');
    const databaseUrl = postgres.url('document');
    await prepareDatabase(databaseUrl);
    const config = readConfig({ PORT: '0', PUBLIC_URL: 'http://localhost' });
    const vault = createVault(Buffer.alloc(32, 1));
    const app = await createApp({ config, databaseUrl, vault, logger: { level: 'error' } });
    const { body } = await app.inject('/openapi.json');
    await app.close();
    return JSON.parse(body);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
