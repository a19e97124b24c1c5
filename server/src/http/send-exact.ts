import type { FastifyReply } from 'fastify';

/** Sends a body with 64-bit integers as `JSON.stringify` writes it. The serialiser of the schema would round them. */
export const sendExact = (reply: FastifyReply, body: object): FastifyReply =>
  reply.type('application/json').serializer(JSON.stringify).send(body);
