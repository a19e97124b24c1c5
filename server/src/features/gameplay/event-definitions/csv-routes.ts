import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { FORM_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { createConcurrencyLimit } from '../../../http/traffic/concurrency.ts';
import { acceptForms, type Form } from '../../../http/bodies/form.ts';
import { accountOf, authorOf } from '../../../http/request-context.ts';
import { TenantPath } from '../../../http/schemas.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import type { DefinitionRouteServices } from './manage-definitions.ts';
import { exportDefinitions } from './export-definitions.ts';
import { importDefinitions } from './import-definitions.ts';
import { MAX_CSV_BYTES } from './read-csv.ts';
import { ExportDefinitionsQuery, ImportEventDefinitionsRequest, ImportResult } from './schemas.ts';

const LIST = '/api/bus_tenants/:tenantId/event-definitions';
const tags = ['Event definitions'];
const config = { role: 'admin' } as const;

const IMPORT_LIMITS = { perCaller: 2, perTenant: 2, perNetwork: 4, inAll: 16 };

/** An import writes up to 5,000 audit records, which are kept. Without a limit, an account wrote 165,000 in a minute. */
const LARGE_IMPORT_BUDGET = {
  name: 'definition-imports',
  attempts: 200,
  seconds: 24 * 60 * 60,
  refusal: 'An account can import at most 200 files of more than 2 KiB in 24 hours. Try again later.',
};
/** About 45 rows. An import counts as 30 requests, so smaller files change hardly more definitions than single requests do. */
const LARGE_IMPORT_BYTES = 2 * 1024;

/** Authenticated by a console account. */
export function definitionCsvRoutes(services: DefinitionRouteServices): FastifyPluginAsyncTypebox {
  const imports = createConcurrencyLimit(
    services.acquireSlots,
    { name: 'imports', code: 'too_many_imports', noun: 'import' },
    IMPORT_LIMITS,
  );
  const budget = services.createBudget(LARGE_IMPORT_BUDGET);
  return async (app) => {
    const readForm = await acceptForms(app, MAX_CSV_BYTES);

    app.get(
      `${LIST}/export`,
      {
        config: { ...config, cost: 10 },
        schema: {
          operationId: 'exportEventDefinitions',
          tags,
          summary: 'Export event definitions as CSV',
          description:
            'Streams all event definitions of a tenant, sorted by key and value. Text that a spreadsheet would run as a formula ' +
            'gets a leading apostrophe. The import removes it.',
          params: TenantPath,
          querystring: ExportDefinitionsQuery,
          response: {
            200: {
              description: 'The definitions, one per row.',
              content: { 'text/csv': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        const { tenantId } = request.params;
        const chunks = exportDefinitions(services.database, tenantId, request.query.includeInactive);
        const stream = await services.exports.open(request, tenantId, chunks);
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="event-definitions.csv"')
          .send(stream as never);
      },
    );

    app.post(
      `${LIST}/import`,
      {
        bodyLimit: FORM_BODY_LIMIT,
        config: { ...config, cost: 30 },
        schema: {
          operationId: 'importEventDefinitions',
          tags,
          summary: 'Import event definitions from CSV',
          description:
            'Creates definitions, or changes existing ones with `overwriteExisting`. The header needs `event_key` and ' +
            '`event_value`. The columns `id` (or `event_definition_id`), `event_scope`, `event_category`, `event_description` ' +
            'and `is_active` are optional. A file may have at most 5,000 rows and 2 MiB. Each row is checked on its own, and ' +
            'all valid rows are written in one transaction. If the file as a whole is invalid, the status is 400 and nothing ' +
            'is written. Two imports of an account or tenant can run at once, and each counts as 30 requests. An account ' +
            'can import 200 files of more than 2 KiB in 24 hours (429).',
          params: TenantPath,
          consumes: ['multipart/form-data'],
          body: ImportEventDefinitionsRequest,
          response: { 200: ImportResult },
        },
      },
      async (request) => {
        const { tenantId } = request.params;
        // A stalled upload is not an import yet. The budget of bodies limits uploads.
        const form = parseImportForm(await readForm(request));
        const leave = await imports.enter(request, tenantId);
        try {
          if (form.file.length > LARGE_IMPORT_BYTES) await budget.spend(accountOf(request).accountId);
          return await importDefinitions(services, tenantId, form, authorOf(request));
        } finally {
          leave();
        }
      },
    );
  };
}

/** Reads the file, which may be in any field, and `overwriteExisting`. Throws `invalid_request` and `csv_too_large`. */
function parseImportForm({ files, fields }: Form): { file: Buffer; overwriteExisting: boolean } {
  const values = fields.filter(({ name }) => name === 'overwriteExisting');
  const value = values[0]?.value.trim().toLowerCase() ?? 'false';
  if (values.length > 1 || !['true', 'false'].includes(value))
    throw invalid('overwriteExisting', 'must be true or false');
  const [file, ...more] = files;
  if (!file) throw invalid('file', 'is missing');
  if (more.length > 0) throw invalid('file', 'must be one file');
  if (file.isTooLarge)
    throw new ProblemError(
      'csv_too_large',
      `The file has more than ${MAX_CSV_BYTES} bytes (2 MiB). Split it into smaller files.`,
    );
  return { file: file.bytes, overwriteExisting: value === 'true' };
}

function invalid(path: string, message: string): ProblemError {
  return invalidField(path, message, `The form is not valid: ${path} ${message}.`);
}
