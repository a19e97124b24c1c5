import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { FORM_BODY_LIMIT } from '../../../http/body-limits.ts';
import { acceptForms, type Form } from '../../../http/form.ts';
import { authorOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import type { DefinitionRouteServices } from './create-definition.ts';
import { exportDefinitions } from './export-definitions.ts';
import { importDefinitions } from './import-definitions.ts';
import { LARGEST_SHEET } from './read-csv.ts';
import { ExportDefinitionsQuery, ImportForm, ImportResult, TenantPath } from './schemas.ts';

const LIST = '/api/bus_tenants/:tenantId/event-definitions';
const tags = ['Event definitions'];
const config = { role: 'admin' } as const;

/** Behind a dashboard account. */
export function definitionCsvRoutes(services: DefinitionRouteServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    const readForm = await acceptForms(app, LARGEST_SHEET);

    app.get(
      `${LIST}/export`,
      {
        config,
        schema: {
          operationId: 'exportEventDefinitions',
          tags,
          summary: 'Download the event definitions as CSV',
          description:
            'Sorted by key and value; any number. A text that a spreadsheet would take for a formula has an apostrophe in ' +
            'front, which the import takes away again.',
          params: TenantPath,
          querystring: ExportDefinitionsQuery,
          response: {
            200: {
              description: 'The definitions.',
              content: { 'text/csv': { schema: Type.String() } },
            },
            ...problems(429),
          },
        },
      },
      async (request, reply) => {
        const { tenantId } = request.params;
        const pieces = exportDefinitions(services.database, tenantId, request.query.includeInactive);
        const answer = services.exports.open(request, tenantId, pieces);
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="event-definitions.csv"')
          .send(answer as never);
      },
    );

    app.post(
      `${LIST}/import`,
      {
        bodyLimit: FORM_BODY_LIMIT,
        config,
        schema: {
          operationId: 'importEventDefinitions',
          tags,
          summary: 'Create or change event definitions from CSV',
          description:
            'A header with `event_key` and `event_value`, and optionally `id` (or `event_definition_id`), `event_scope`, ' +
            '`event_category`, `event_description` and `is_active`; at most 5,000 rows. Each row is judged on its own, and ' +
            'those that are good are written at once. A file that is wrong as a whole is a 400, and nothing is written.',
          params: TenantPath,
          consumes: ['multipart/form-data'],
          body: ImportForm,
          response: { 200: ImportResult },
        },
      },
      async (request) =>
        importDefinitions(
          services,
          request.params.tenantId,
          whatToImport(await readForm(request)),
          authorOf(request),
        ),
    );
  };
}

/** The one file of the form, whatever its field is called, and the field overwriteExisting. */
function whatToImport({ files, fields }: Form): { file: Buffer; overwriteExisting: boolean } {
  const wishes = fields.filter(({ name }) => name === 'overwriteExisting');
  const wish = wishes[0]?.value.trim().toLowerCase() ?? 'false';
  if (wishes.length > 1 || !['true', 'false'].includes(wish))
    throw invalid('overwriteExisting', 'must be true or false');
  const [file, ...more] = files;
  if (!file || more.length > 0) throw invalid('file', 'must be one file');
  if (file.isTooLarge)
    throw new ProblemError('csv_too_large', `The file has more than ${LARGEST_SHEET} bytes (2 MiB).`);
  return { file: file.bytes, overwriteExisting: wish === 'true' };
}

function invalid(path: string, message: string): ProblemError {
  return invalidField(path, message, `The form is not valid: ${path} ${message}.`);
}
