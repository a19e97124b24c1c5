import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Guid, Name, Nullable, problems, Timestamp } from '../../../http/schemas.ts';
import { addNote, deleteNote, readNotes } from './note-player.ts';
import { MAX_LISTED_NOTES, MAX_NOTES } from './note-queries.ts';
import { TenantPlayerPath } from './schemas.ts';

const NOTES = '/api/bus_tenants/:tenantId/players/:playerId/notes';
const tags = ['Tenant players'];

const Note = Type.Object(
  {
    id: Guid,
    text: Type.String(),
    author: Type.Object(
      {
        id: Guid,
        email: Nullable(Type.String({ description: 'Null: the author has left the workspace.' })),
      },
      { title: 'PlayerNoteAuthor' },
    ),
    createdAt: Timestamp,
  },
  { title: 'PlayerNote' },
);

/** The notes of a studio about a player. The credential is the SaaS JWT of a console account. */
export function playerNoteRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      NOTES,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listPlayerNotes',
          tags,
          summary: 'List notes about a player',
          description:
            'Returns the notes of the tenant about the player, newest first. After a merge, there can be more than ' +
            `${MAX_NOTES}. The list has the newest 1,000.`,
          params: TenantPlayerPath,
          response: {
            200: Type.Object(
              { items: Type.Array(Note, { maxItems: MAX_LISTED_NOTES }) },
              { title: 'PlayerNoteList' },
            ),
          },
        },
      },
      async (request) => ({ items: await readNotes(database, request.params) }),
    );

    app.post(
      NOTES,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'createPlayerNote',
          tags,
          summary: 'Add a note about a player',
          description:
            'Only members of the workspace see the note. It is deleted with the profile of the player. If the player has ' +
            `${MAX_NOTES} notes or more, the response is 409.`,
          params: TenantPlayerPath,
          body: Type.Object({ text: Name(2_000) }, { title: 'CreatePlayerNoteRequest' }),
          response: { 201: Note, ...problems(409) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return addNote(database, request.params, request.body.text, authorOf(request));
      },
    );

    app.delete(
      `${NOTES}/:noteId`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'deletePlayerNote',
          tags,
          summary: 'Delete a note about a player',
          description: 'Deletes the note. Any administrator of the workspace may delete it.',
          params: Type.Object({ ...TenantPlayerPath.properties, noteId: Guid }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteNote(database, request.params, authorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
}
